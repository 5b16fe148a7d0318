"""New site: a site file by pointing and clicking."""
