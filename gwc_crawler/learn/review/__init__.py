"""What a person should know about what was learned: what was left out, what is doubtful, what one more sample settles.

In: the pre-crawl's pages and the finished knowledge. Out: plain data for the report, and warnings.
"""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.learn.review.review import reviewed
else:
    __getattr__ = face(__name__)
