"""HTTP/1.1 as real servers speak it: bytes on the wire, and connections that are kept. No Scrapy."""
