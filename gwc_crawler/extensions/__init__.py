"""What runs beside a crawl: progress line, stats, no log lines and servers that nobody asked for."""
