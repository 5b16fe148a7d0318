"""Processes that read for a crawl."""
