"""For small or foreign servers: one request to a host at a time, two to six seconds between them, more if slow."""

from gwc_crawler.settings import *  # noqa: F403

GWC_CONTACT_NEEDED = True  # who is asked may want to know by whom: set USER_AGENT
CONCURRENT_REQUESTS_PER_DOMAIN = 1
DOWNLOAD_DELAY = 4.0
AUTOTHROTTLE_ENABLED = True  # a host that answers slowly is asked more slowly
AUTOTHROTTLE_START_DELAY = 4.0
ROBOTSTXT_OBEY = True
GWC_RETRY_BASE_SECONDS = 30.0
GWC_RETRY_MAX_SECONDS = 3600.0
