"""A running crawl: where its leases come from, where its pages go, what is asked of it."""
