"""Scrapy's downloader with limits that belong to hosts, and the handler that fetches over kept connections."""
