"""Pages read by processes of their own: a body in; page, record and stripped HTML out, as the crawl reads them itself.

The first process of a crawl fetches and stores. Reading processes (GWC_WORKERS), if any, do the work in between:
`Readers` hands bodies out over local sockets and takes the results.
"""
