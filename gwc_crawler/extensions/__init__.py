"""Extensions that run beside a crawl: progress line, stats, feeds, output for other programs."""
