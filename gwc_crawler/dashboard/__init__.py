"""The dashboard: the output of `scrapy status`, and actions of commands, as web pages; `web` is its frame."""
