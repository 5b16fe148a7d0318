"""Candidates for a text or a list: addresses of its places on one sample, tested on all the others, and their cuts."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.learn.wrapper.finders.affixes import mended
    from gwc_crawler.learn.wrapper.finders.extent import going_on
    from gwc_crawler.learn.wrapper.finders.lists import list_finders, near_list_finders
    from gwc_crawler.learn.wrapper.finders.scalars import scalar_finders
else:
    __getattr__ = face(__name__)
