"""Find the places of a sample's values on its page, and addresses for these places."""
