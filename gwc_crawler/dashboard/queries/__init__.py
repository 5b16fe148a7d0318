"""What the dashboard shows, as data: bounded reads of a site's files and of Redis, beside a crawl that runs."""
