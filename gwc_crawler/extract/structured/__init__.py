"""What a page says of itself in JSON-LD, microdata, RDFa and meta tags."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.extract.structured.reading import StructuredData
else:
    __getattr__ = face(__name__)

__all__ = [
    "StructuredData",
]
