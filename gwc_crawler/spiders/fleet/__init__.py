"""A worker of the fleet: takes a site or a part of one, crawls it, gives it back, takes the next."""
