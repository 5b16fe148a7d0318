"""A site's link graph: who links to whom, what leads down to what, in figures, files and pictures."""
