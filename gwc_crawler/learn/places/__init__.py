"""Where a sample's values stand on its page, and how such a place can be addressed."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.learn.places.groups import RULED, group_addresses, members_of, ruled_forms, ways_of_parting
    from gwc_crawler.learn.places.paths import PathMaker
    from gwc_crawler.learn.places.places import (
        LEAST_PROSE,
        READ_WHOLE,
        RUN_TAGS,
        SECTION,
        Place,
        find_places,
        stands_on,
    )
    from gwc_crawler.learn.places.record_places import LocatedRecords, locate_records, texts_of
    from gwc_crawler.learn.places.rows import MOST_LOST, RowKind, row_kinds
    from gwc_crawler.learn.places.run_paths import RunPathMaker, turn_addresses
    from gwc_crawler.learn.places.steps import (
        NEXT_TEXT,
        OF_ANYTHING,
        Address,
        attribute_addresses,
        attribute_test,
        form_step,
        labels_in,
        left_out_of,
        quoted_in,
        room_of,
        step_name,
        with_test,
    )
else:
    __getattr__ = face(__name__)
