"""Which pages are of the samples' kind: by what stands on them, said in words of their URLs."""
