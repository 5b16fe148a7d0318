"""Which classes of URLs are targets, which are directories, and what tells a look-alike from a target."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.learn.targets.adoption import adopt_list_groups, rows_check
    from gwc_crawler.learn.targets.by_hand import check_by_hand, classes_by_hand, is_excluded, take_also, with_also
    from gwc_crawler.learn.targets.classes import describe_groups
    from gwc_crawler.learn.targets.decisions import (
        Choice,
        class_row,
        compile_target,
        examples,
        given_class,
        weight_threshold,
    )
    from gwc_crawler.learn.targets.directories import (
        Directories,
        choose_ways,
        gather_list_pages,
        gather_same_names,
    )
    from gwc_crawler.learn.targets.link_graph import LinkGraph
    from gwc_crawler.learn.targets.survey import Survey, survey_pages, title_of
    from gwc_crawler.learn.targets.targets import Targets, choose_targets
    from gwc_crawler.learn.targets.task import ALSO, EXCLUDE, LISTING, TARGET, LearnTask
else:
    __getattr__ = face(__name__)
