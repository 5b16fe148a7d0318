"""Far more workers, hosts and URLs than one machine has, on a virtual clock, with the crawl's real parts."""
