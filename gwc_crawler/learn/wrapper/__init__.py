"""Sample pages with values → a wrapper: candidates for each field, ranked on further pages."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.learn.wrapper.complaints import nowhere, shown, text_around
    from gwc_crawler.learn.wrapper.learning import learn_wrapper
    from gwc_crawler.learn.wrapper.samples import Sample, SamplePages, SampleView
else:
    __getattr__ = face(__name__)
