"""What learning compares pages by, read of each page once, and of many by processes of their own; pages kept parsed."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.learn.traits.known import KnownTraits, PageViews
    from gwc_crawler.learn.traits.page_traits import PageTraits, read_traits
else:
    __getattr__ = face(__name__)
