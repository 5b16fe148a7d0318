"""The dashboard's frame: access rights, the parts of a page, the language. It knows no single page."""
