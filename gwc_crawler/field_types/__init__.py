"""Types of fields: the table of types for `[types]` of a site file, and the way each type reads a text."""
