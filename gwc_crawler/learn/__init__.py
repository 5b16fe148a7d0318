"""Pre-crawled pages + samples → knowledge: URL classes, targets, directories, weights, the wrapper, and a report."""
