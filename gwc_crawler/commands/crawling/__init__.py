"""Commands that fetch pages or read them again."""
