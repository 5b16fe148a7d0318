"""Page → Record: wrappers learned from a few sample pages, and their application.

`learn_wrapper` turns samples (pages with the values a person sees there) into a `Wrapper`: rules that say where each
field stands, as JSON. `extract_record` is the crawl's step: it applies the wrapper of the site's knowledge to a page.
"""

from typing import TYPE_CHECKING, Any

from gwc_crawler.extract.record import extract_record, extract_target
from gwc_crawler.extract.wrapper import Wrapper

if TYPE_CHECKING:
    from gwc_crawler.extract.learn import learn_wrapper
    from gwc_crawler.extract.samples import Sample

__all__ = ["Sample", "Wrapper", "extract_record", "extract_target", "learn_wrapper"]


def __getattr__(name: str) -> Any:
    """Import the learning half when it is asked for: a crawl that has learned starts sooner without it."""
    if name == "learn_wrapper":
        from gwc_crawler.extract.learn import learn_wrapper

        return learn_wrapper
    if name == "Sample":
        from gwc_crawler.extract.samples import Sample

        return Sample
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
