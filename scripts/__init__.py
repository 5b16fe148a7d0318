"""What the Makefile runs besides Scrapy itself."""
