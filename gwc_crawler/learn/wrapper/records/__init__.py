"""Rules for records: their rows and the parts of these."""
