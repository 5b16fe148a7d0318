"""Which worker takes which site, or which part of one: the fleet's register in Redis, and its decisions."""
