"""Decide which classes of URLs are targets, which are directories, and what tells a look-alike from a target."""
