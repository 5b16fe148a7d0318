"""Sample pages with values → a wrapper: candidates for each field, ranked on further pages."""
