"""Where a sample's values stand on its page, and how such a place can be addressed."""
