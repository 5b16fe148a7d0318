"""The wiring of the crawler, in the data's order, and every GWC_* setting with its default and unit.

A profile in `settings_profiles/` starts with `from gwc_crawler.settings import *` and states its few differences;
`-s NAME=value` on the command line and `[settings]` in a site file override both.
"""

from scrapy.settings import default_settings

BOT_NAME = "gwc_crawler"
USER_AGENT = "gwc_crawler (+https://pypi.org/project/gwc-crawler/)"

# --- site files → spiders ---------------------------------------------------------------------------------------------
SPIDER_MODULES: list[str] = []  # your own spiders, written in Python; ours are made of site files
SPIDER_LOADER_CLASS = "gwc_crawler.sites.loader.SiteSpiderLoader"
COMMANDS_MODULE = "gwc_crawler.commands"
GWC_SITES_DIR = "sites"
"""Where site files are looked for, relative to the working directory; the package `sites` is the fallback."""
GWC_DATA_DIR = "data"
"""Everything a crawl keeps: `<GWC_DATA_DIR>/<site>/crawl.db`, `samples.db`, `knowledge.json`."""

# --- frontier → leases → Requests -------------------------------------------------------------------------------------
SCHEDULER = "gwc_crawler.frontier.scheduler.FrontierScheduler"
SCHEDULER_PRIORITY_QUEUE = "gwc_crawler.frontier.priority_queue.TunnelWeightQueue"
SCHEDULER_MEMORY_QUEUE = "scrapy.squeues.FifoMemoryQueue"
SCHEDULER_DISK_QUEUE = "scrapy.squeues.MarshalFifoDiskQueue"
SCHEDULER_START_MEMORY_QUEUE = None
SCHEDULER_START_DISK_QUEUE = None
GWC_FRONTIER = "sqlite"
"""Where the URLs of a crawl wait: sqlite (one process, one file) | redis (shared by many workers; REDIS_URL)."""
GWC_REDIS_KEEP_URLS = True
"""Whether Redis keeps the text of complete URLs; without it they take 18 bytes each, and can't be listed or retried."""
GWC_KNOWN_URLS = 300_000
"""Links a worker knows without asking Redis; about 200 bytes each."""
GWC_LEASE_BATCH = 64
"""URLs leased at a time."""
GWC_LEASE_SECONDS = 600.0
"""A lease that ran this long without an end returns to the waiting URLs."""
GWC_MAX_LEASES = 5
"""A URL whose leases were lost this often without a word is given up: it seems to be what kills the worker."""
GWC_MAX_PAGES = 0
"""Stop after this many pages of one run; 0: no limit."""
GWC_RECRAWL = True
"""Keep of each page what a later `-a recrawl=due|all|errors` needs: ETag, Last-Modified, signature, next time."""
GWC_RECRAWL_START_SECONDS = 86_400.0
"""After this time a page is due again for the first time; then sooner if it has changed, else later."""
GWC_RECRAWL_MIN_SECONDS = 3_600.0
"""No page is due sooner after its last fetch; start pages always are after this time."""
GWC_RECRAWL_MAX_SECONDS = 2_592_000.0
"""The longest time until a page is due again, however long it has not changed: 30 days."""
GWC_CONDITIONAL_GET = True
"""Ask servers for a 304 when looking again; False for one that says so of pages that have changed."""

# Traps and limits; beside them Scrapy's own DEPTH_LIMIT and URLLENGTH_LIMIT, and max_depth and max_pages in site files.
GWC_MAX_REPEATED_SEGMENTS = 3
"""How often one segment may stand in a URL's path (of digits alone: twice as often); 0: no limit."""
GWC_MAX_PATH_SEGMENTS = 20
"""Segments of a URL's path at most; 0: no limit."""
GWC_MAX_QUERY_KEYS = 16
"""Keys in a URL's query at most; 0: no limit."""
GWC_FRUITLESS_PAGES = 500
"""After so many pages in a row that led to no new target a class of directories is closed; 0: never."""
GWC_MAX_PAGES_PER_PATTERN = 0
"""Pages of one class of directories (one learned pattern) at most, over all runs and workers; 0: no limit."""
GWC_MAX_PAGES_PER_SITE = 0
"""Pages of one crawl at most, over all runs and workers; 0: no limit. For one run there is GWC_MAX_PAGES."""
GWC_MAX_PAGES_PER_HOST = 0
"""Pages of one host at most, over all runs and workers; 0: no limit."""

GWC_QUEUE_POLICY = "host"
"""How URLs are assigned to queues (download slots, parts of the frontier): host | bkdr (a host's URLs spread by hash) |
column (first directory) | ip | the dotted path of your own function URL → name."""
GWC_QUEUES = 16
"""How many queues `bkdr` spreads the URLs of a host over."""
GWC_QUEUE_SEED = 131
"""The multiplier of BKDR's hash: 31, 131, 1313 …"""
GWC_PARTS = 16
"""How many parts the queues of a shared crawl are spread over, for workers that take only some; at most 256. Holds from
the beginning of a crawl to its end."""

# --- fleet: `scrapy work` ---------------------------------------------------------------------------------------------
GWC_FLEET = "fleet"
"""The fleet that a worker joins; fleets of other names may share the Redis."""
GWC_ADOPT_SITES = "never"
"""What becomes of other sites that pages link to: never (they are listed) | named (one that a site file names is
crawled) | template (so is one that a site file's [template] serves)."""
GWC_ADOPT_UP_TO = 10_000
"""Sites of a fleet at which no more are adopted: a trap can make up hosts without end."""
GWC_WORK_IDLE_SECONDS = 60.0
"""A worker that is wanted nowhere for this long leaves the fleet."""
GWC_WORK_SHARE = 500
"""A site gets one more worker where that leaves this many waiting URLs at least to each."""

# --- download ---------------------------------------------------------------------------------------------------------
DOWNLOADER = "gwc_crawler.download.politeness.HostDownloader"
DOWNLOAD_HANDLERS = dict.fromkeys(("http", "https"), "gwc_crawler.download.handler.KeptConnectionsHandler")
CONCURRENT_REQUESTS = 16
# These, DOWNLOAD_SLOTS and AUTOTHROTTLE_* hold for each host (with CONCURRENT_REQUESTS_PER_IP: each address), however
# many slots it has, and for all workers of a shared crawl together; beside them robots.txt's crawl-delay, Retry-After,
# and a back-off on 429, 503 and time-outs.
CONCURRENT_REQUESTS_PER_DOMAIN = 8
DOWNLOAD_DELAY = 0.0
DOWNLOAD_TIMEOUT = 30
DOWNLOAD_MAXSIZE = 16 * 1024 * 1024
DOWNLOAD_WARNSIZE = 0
DOWNLOAD_VERIFY_CERTIFICATES = True
ROBOTSTXT_OBEY = True
COOKIES_ENABLED = False
RETRY_TIMES = 3
RETRY_HTTP_CODES = [408, 429, 500, 502, 503, 504, 522, 524]
GWC_RETRY_BASE_SECONDS = 1.0
"""First wait before a failed URL is tried again, and of a host's back-off; doubles with each attempt."""
GWC_RETRY_MAX_SECONDS = 300.0
"""Longest such wait; a server's Retry-After and crawl-delay are obeyed up to this."""
GWC_REUSE_SAMPLES_SECONDS = 86400.0
"""A page the pre-crawl fetched less than this ago is read from its store instead of fetched again; 0: never."""
DOWNLOADER_MIDDLEWARES = {
    "gwc_crawler.download.middlewares.SampleReuseMiddleware": 50,
    "gwc_crawler.download.middlewares.PatientRobotsMiddleware": 100,
    "gwc_crawler.download.politeness.QueueMiddleware": 150,
    "gwc_crawler.download.middlewares.LeaseRedirectMiddleware": 600,
    "gwc_crawler.download.middlewares.CookiesOnDemand": 700,
    "gwc_crawler.download.politeness.PolitenessMiddleware": 1000,  # the last before the network
}
DOWNLOADER_MIDDLEWARES_BASE = {
    # left out of Scrapy's own, where None would still import them: replaced by ours, or without a use here
    path: order
    for path, order in default_settings.DOWNLOADER_MIDDLEWARES_BASE.items()
    if path
    not in (
        "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware",
        "scrapy.downloadermiddlewares.redirect.RedirectMiddleware",
        "scrapy.downloadermiddlewares.redirect.MetaRefreshMiddleware",  # read as a link of the page
        "scrapy.downloadermiddlewares.retry.RetryMiddleware",  # a failed lease waits in the frontier
        "scrapy.downloadermiddlewares.offsite.OffsiteMiddleware",  # only links on the site enter the frontier
        "scrapy.downloadermiddlewares.httpauth.HttpAuthMiddleware",
        "scrapy.downloadermiddlewares.cookies.CookiesMiddleware",  # CookiesOnDemand, where COOKIES_ENABLED
    )
}
DOWNLOADER_STATS = False  # sizes every request and answer for figures that Scrapy only prints at the end

# --- spider -----------------------------------------------------------------------------------------------------------
CONCURRENT_ITEMS = 1
WARN_ON_GENERATOR_RETURN_VALUE = False
SPIDER_MIDDLEWARES = {
    "gwc_crawler.spiders.output.StartMark": 25,
    # each of these looks at every page and finds nothing to do: the frontier knows depth, status and length
    "scrapy.spidermiddlewares.start.StartSpiderMiddleware": None,  # StartMark
    "scrapy.spidermiddlewares.metacopy.MetaCopyDetectionMiddleware": None,
    "scrapy.spidermiddlewares.httperror.HttpErrorMiddleware": None,
    "scrapy.spidermiddlewares.referer.RefererMiddleware": None,
    "scrapy.spidermiddlewares.urllength.UrlLengthMiddleware": None,
    "scrapy.spidermiddlewares.depth.DepthMiddleware": None,
}

# --- store ------------------------------------------------------------------------------------------------------------
ITEM_PROCESSOR = "gwc_crawler.store.pipelines.DirectPipelines"
ITEM_PIPELINES = {
    "gwc_crawler.store.pipelines.StripPipeline": 100,
    "gwc_crawler.store.pipelines.StorePipeline": 200,
    "gwc_crawler.store.pipelines.RecordPipeline": 300,  # after it, and in feeds, an item is the record of a target page
}
GWC_SINK = "sqlite"
"""Where pages and records go: sqlite (workers on one machine may share the file)."""
GWC_BUSY_SECONDS = 10.0
"""How long a commit waits for another process that is writing to the file; then the crawl ends, and nothing is lost."""
GWC_COMMIT_PAGES = 100
"""Pages in one commit at most."""
GWC_COMMIT_SECONDS = 1.0
"""Age at which a smaller batch is committed."""
GWC_KEEP_HTML = "targets"
"""Whose HTML is kept, compressed, for `scrapy extract`: all | targets (look-alikes included) | none."""
GWC_STRIP = "all"
"""Whose HTML is stored without tags' noise (TagStrip): all | targets | none."""

GWC_ON_DRIFT = "warn"
"""When a field falls away from the pages: warn (once, loudly) | pause (until the knowledge file changes) | stop."""

# --- operations -------------------------------------------------------------------------------------------------------
STATS_CLASS = "gwc_crawler.ops.extensions.PlainStats"
EXTENSIONS = {
    "gwc_crawler.download.signals.SignalsOnDemand": 0,
    "gwc_crawler.ops.extensions.RunStats": 0,
    "gwc_crawler.spiders.engine.DirectWay": 0,
    "gwc_crawler.ops.extensions.ProgressExtension": 10,
    "gwc_crawler.ops.extensions.CollectorExtension": 20,
    "gwc_crawler.ops.extensions.TelnetOnDemand": 30,
    "gwc_crawler.ops.extensions.RemoteControlOnDemand": 30,
}
EXTENSIONS_BASE = {
    # left out of Scrapy's own, where None would still import them
    path: order
    for path, order in default_settings.EXTENSIONS_BASE.items()
    if path
    not in (
        "scrapy.extensions.corestats.CoreStats",  # RunStats
        "scrapy.extensions.throttle.AutoThrottle",  # the limiter adapts each host's delay
        "scrapy.extensions.logstats.LogStats",
        "scrapy.extensions.memusage.MemoryUsage",
        "scrapy.extensions.telnet.TelnetConsole",  # an SSH server; TelnetOnDemand, where TELNETCONSOLE_ENABLED
        "scrapy.extensions.remote_control.RemoteControl",  # a web server; RemoteControlOnDemand
    )
}
GWC_PROGRESS = "auto"
"""Progress line on stderr: on | off | auto (on unless the log goes there at INFO)."""
LOG_LEVEL = "INFO"
LOG_FORMATTER = "gwc_crawler.ops.extensions.UnaskedLogFormatter"
GWC_GC_THRESHOLD = 20_000
"""Objects made between two runs of Python's cycle collector (its own default: 700); 0: leave the collector alone."""
TELNETCONSOLE_ENABLED = False
REMOTE_CONTROL_ENABLED = False
FEED_EXPORT_ENCODING = "utf-8"
