"""What an answer says, and what a crawl does about hosts that give none, or the same one to everything."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.spiders.hosts.answers import (
        FLAWS,
        attempts,
        broke,
        content_type_of,
        file_name,
        is_page,
        lease_of,
    )
    from gwc_crawler.spiders.hosts.same_page import ends_as_same_page
    from gwc_crawler.spiders.hosts.silence import (
        give_up_host,
        look_whether_there,
        tell_entry_error,
        tell_of_wait,
        tell_silence,
    )
else:
    __getattr__ = face(__name__)

__all__ = [
    "FLAWS",
    "attempts",
    "broke",
    "content_type_of",
    "ends_as_same_page",
    "file_name",
    "give_up_host",
    "is_page",
    "lease_of",
    "look_whether_there",
    "tell_entry_error",
    "tell_of_wait",
    "tell_silence",
]
