"""The product's order of fetching pages to learn from, for pre-crawls in memory."""
