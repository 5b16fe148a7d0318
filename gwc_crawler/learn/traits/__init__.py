"""What learning compares pages by, read of each page once, and of many by processes of their own; pages kept parsed."""
