"""What each pass of the learner brings: learn without it, and compare."""
