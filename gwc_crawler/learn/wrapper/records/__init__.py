"""Rules for records: their rows and the parts of these."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.learn.wrapper.records.rule import learn_records_rule
else:
    __getattr__ = face(__name__)
