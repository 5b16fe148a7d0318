"""How hard a host may be pressed: limits, delays, back-off; for one process, and in Redis for all workers."""
