"""Commands that begin a project or a site file, and look at single pages."""
