"""The knowledge of a site: a file that people may edit, read whole or refused with its line and key."""
