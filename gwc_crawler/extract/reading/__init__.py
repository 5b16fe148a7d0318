"""Pages read by processes of their own: a body in; page, record and stripped HTML out, as the crawl reads them itself.

The first process of a crawl fetches and stores. Where it has reading processes (GWC_WORKERS), what lies between is
theirs: `Readers` hands bodies out over local sockets and takes what was read.
"""

from typing import TYPE_CHECKING

from gwc_crawler.lazy import face

if TYPE_CHECKING:
    from gwc_crawler.extract.reading.orders import Condenser, Frames, ReadAnswer, ReadPlan, framed, plan_of
    from gwc_crawler.extract.reading.process import SHOWING, shown_mark
    from gwc_crawler.extract.reading.readers import AUTO, ReaderDied, Readers, auto_count, worker_count
    from gwc_crawler.extract.reading.serving import answer_orders
else:
    __getattr__ = face(__name__)
