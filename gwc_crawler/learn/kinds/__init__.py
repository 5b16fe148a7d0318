"""Find the pages of the samples' kind by their content, and describe them by words of their URLs."""
