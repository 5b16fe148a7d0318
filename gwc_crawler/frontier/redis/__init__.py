"""The frontier in Redis: for any number of workers, on any number of machines, that come and go."""
