"""Bodies kept as files: which of them, what they are by their bytes, and under what name they are safe anywhere."""
