"""Commands that bring out what is stored: records, changes, the link graph."""
