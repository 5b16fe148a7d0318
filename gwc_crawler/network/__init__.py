"""Reach servers: names → addresses, which of these are refused, HTTP/1.1, access rights; `politeness` limits load."""
