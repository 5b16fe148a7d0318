"""Downloader middlewares: robots.txt, redirects that keep the lease, queues, politeness; how one gets in."""
