"""The papers' claims, one by one: what holds here, what deviates and why, and the test that shows it."""
