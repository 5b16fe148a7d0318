"""Types of fields: the table of what `[types]` of a site file can say, and how each type reads a text."""
