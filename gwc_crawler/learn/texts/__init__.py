"""What stands on sample pages, and what these have in common."""
