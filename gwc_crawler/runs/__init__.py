"""What commands share: the site they mean and its files; its pre-crawl, learning and crawl; how they answer."""
