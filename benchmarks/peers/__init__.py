"""`python -m benchmarks.peers`: our crawl beside those of others, on one site, in turns.

site          the pages as files, served by nginx; each contender has a port and a log of its own
environments  a virtual environment for each Python peer, kept in .venv-peers
programs/     what the Python peers run: the shortest crawl of a whole site that each one's documentation teaches
contenders    how each is started, and the check that it fetched every page
__main__      rounds, ratios, table, results/peers.json
"""
