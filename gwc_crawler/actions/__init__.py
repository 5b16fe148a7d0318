"""What the commands do, one module each, with the command's name: `act`. Loaded by the one command that runs.

`sites` holds what they share: which site is meant; `runs` what `learn` and `crawl` share: pre-crawl, learning and crawl
in one process; `reach` which sites and servers `status` and the steering commands mean.
"""
