"""What stands on target pages and not on pages of other categories under the same URL form; the check made of it."""
