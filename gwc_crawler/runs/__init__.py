"""The shared part of commands: the site they mean and its files; its pre-crawl, learning and crawl; their output."""
