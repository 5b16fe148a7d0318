"""Gather the dashboard's data: bounded reads of a site's files and of Redis, beside a running crawl."""
