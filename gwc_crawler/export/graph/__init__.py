"""A site's link graph: the links between pages and the hierarchy of pages, in figures, files and pictures."""
