"""Site files: what to crawl, written by a person, one small TOML file for each site."""
