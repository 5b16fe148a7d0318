"""Downloader middlewares: robots.txt, redirects that keep the lease, queues, politeness; `access`: how one gets in."""
