"""Names → addresses: a cache in the crawl's event loop, the name servers behind it, and which addresses are refused."""
