"""How much of a page is meant: a paragraph or its section, up to what closes the page, outside of its parts."""

from gwc_crawler.learn.wrapper.extent.boxes import outside_of_parts
from gwc_crawler.learn.wrapper.extent.closing import above_the_closing
from gwc_crawler.learn.wrapper.extent.cut_off import with_their_rest
from gwc_crawler.learn.wrapper.extent.much import as_much_as_asked, longer_first
from gwc_crawler.learn.wrapper.extent.sections import in_their_section, value_in_its_section

__all__ = [
    "above_the_closing",
    "as_much_as_asked",
    "in_their_section",
    "longer_first",
    "outside_of_parts",
    "value_in_its_section",
    "with_their_rest",
]
