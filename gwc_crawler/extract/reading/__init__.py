"""Pages read by processes of their own: a body in; page, record and stripped HTML out, as the crawl reads them itself.

The first process of a crawl fetches and stores. Where it has reading processes (GWC_WORKERS), what lies between is
theirs: `Readers` hands bodies out over local sockets and takes what was read.
"""
