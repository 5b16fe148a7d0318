"""Pages read by processes of their own: a body in; page, record and stripped HTML out, as the crawl reads them itself.

The first process of a crawl fetches and stores. Where it has reading processes (GWC_WORKERS), what lies between is
theirs: `Readers` hands bodies out over local sockets and takes what was read.
"""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.reading.condensing import Condenser
    from gwc_crawler.reading.count import AUTO, auto_count, worker_count
    from gwc_crawler.reading.orders import Frames, ReadAnswer, ReadPlan, framed, plan_of
    from gwc_crawler.reading.readers import ReaderDied, Readers
    from gwc_crawler.reading.work import SHOWING, shown_mark
else:
    __getattr__ = face(__name__)

__all__ = [
    "AUTO",
    "SHOWING",
    "Condenser",
    "Frames",
    "ReadAnswer",
    "ReadPlan",
    "ReaderDied",
    "Readers",
    "auto_count",
    "framed",
    "plan_of",
    "shown_mark",
    "worker_count",
]
