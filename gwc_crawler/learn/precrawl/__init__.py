"""Which pages a pre-crawl fetches, and when it has seen enough to learn from."""
