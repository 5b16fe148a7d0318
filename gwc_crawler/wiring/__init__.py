"""What our spiders are wired with, how each setting of Scrapy's is taken, and what is refused with the reason."""
