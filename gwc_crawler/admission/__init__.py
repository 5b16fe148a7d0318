"""What may enter the frontier and which leases are used, beyond what the filters say; what is refused is counted."""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.admission.admission import LIMIT, Admission, Book, UrlGroup, closed_text
    from gwc_crawler.admission.class_yield import YieldLimits
    from gwc_crawler.admission.page_limits import (
        CUT_AT_ONCE,
        LIMIT_KINDS,
        OVER_TEXT,
        WHOLE_SITE,
        PageLimits,
        limit_against,
    )
    from gwc_crawler.admission.rejections import (
        LimitsBook,
        LimitsState,
        RejectionRow,
        forget_rejections,
        read_limits,
        rejections_text,
        unasked,
    )
    from gwc_crawler.admission.same_pages import SAME_PAGE, SamePage, SamePages, key_of, plain_text
    from gwc_crawler.admission.sampling import fair_share
    from gwc_crawler.admission.sampling_admission import PUT_OFF, SamplingAdmission
    from gwc_crawler.admission.shared_rejections import SharedLimitsBook, limits_key
else:
    __getattr__ = face(__name__)

__all__ = [
    "CUT_AT_ONCE",
    "LIMIT",
    "LIMIT_KINDS",
    "OVER_TEXT",
    "PUT_OFF",
    "SAME_PAGE",
    "WHOLE_SITE",
    "Admission",
    "Book",
    "LimitsBook",
    "LimitsState",
    "PageLimits",
    "RejectionRow",
    "SamePage",
    "SamePages",
    "SamplingAdmission",
    "SharedLimitsBook",
    "UrlGroup",
    "YieldLimits",
    "closed_text",
    "fair_share",
    "forget_rejections",
    "key_of",
    "limit_against",
    "limits_key",
    "plain_text",
    "read_limits",
    "rejections_text",
    "unasked",
]
