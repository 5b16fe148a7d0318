"""For sites whose pages are made by scripts: targets go through a browser, fewer at once.

`browser` in a site file goes before it. Needs `pip install "gwc-crawler[browser]"` and Chromium.
"""

from gwc_crawler.settings import *  # noqa: F403

GWC_BROWSER = "targets"
CONCURRENT_REQUESTS = 8
GWC_LEASE_BATCH = 16
DOWNLOAD_TIMEOUT = 60
