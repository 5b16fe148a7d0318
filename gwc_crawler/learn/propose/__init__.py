"""One or two pages of a site → a whole site file to look over: samples, fields with names and values, keywords."""
