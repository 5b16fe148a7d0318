"""Reach servers: names → addresses, and which of these are refused; HTTP/1.1 over kept connections; access rights.

`politeness` limits how hard servers may be pressed."""
