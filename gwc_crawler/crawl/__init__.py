"""A running crawl: the source of its leases, the store of its pages, the wishes of people for it."""
