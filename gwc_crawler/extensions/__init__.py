"""What runs beside a crawl: progress line, stats, feeds, what others see of it."""
