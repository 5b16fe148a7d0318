"""Show a crawl to a person: progress, summary, status, why, drift; and read stored pages again."""
