"""What a person sees of a crawl: progress, summary, status, why, drift; and stored pages read again."""
