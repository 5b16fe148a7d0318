"""Read the texts of sample pages, and find texts that these have in common."""
