"""URLs → classes of URLs, each with its regex; what in a URL means nothing (sessions)."""
