"""Candidates for a text or a list: addresses of its places on one sample, tested on all the others, and their cuts."""
