"""Which URL next, and which are done: a queue that loses nothing; `sqlite` and `redis` keep its promise."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.frontier.admission import Admission, Book, PageLimits, UrlGroup, closed_text
    from gwc_crawler.frontier.md5tree import Md5Directories, Md5Tree, Md5TreeFile
    from gwc_crawler.frontier.order import FIRST_IN_FIRST_OUT, is_followed, page_weight
    from gwc_crawler.frontier.protocol import DROPPED, Frontier, FrontierCounts, UrlInfo
    from gwc_crawler.frontier.queues import QueuePolicy, RoleQueues, bkdr_hash, queue_policy, share_of_column
    from gwc_crawler.frontier.recrawl import (
        CONDITIONS,
        Intervals,
        Recrawl,
        RevisitResult,
        conditions_of,
        gone,
        has_changed_since,
        look_again,
        missed,
        not_modified,
        recrawl_choice,
    )
    from gwc_crawler.frontier.rejections import (
        LimitsBook,
        LimitsState,
        RejectionRow,
        YieldLimits,
        forget_rejections,
        read_limits,
        rejections_text,
        unasked,
    )
    from gwc_crawler.frontier.same_pages import SAME_PAGE, SamePage, SamePages, key_of, plain_text
    from gwc_crawler.frontier.sampling import PUT_OFF, SamplingAdmission, fair_share
    from gwc_crawler.frontier.shared_rejections import SharedLimitsBook
else:
    __getattr__ = face(__name__)
