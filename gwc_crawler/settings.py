"""What holds for the whole project, and every GWC_* setting with its default and unit, in the data's order.

A profile in `settings_profiles/` starts with `from gwc_crawler.settings import *` and states its few differences;
`-s NAME=value` on the command line and `[settings]` in a site file override both. What the crawls of sites are made of
is in `gwc_crawler/wiring/components.py`: spiders of your own in the same project are Scrapy's, as in any project.
"""

from gwc_crawler.errors import answer_interrupts as _answer_interrupts

_answer_interrupts()  # of all that is ours Scrapy loads this first

BOT_NAME = "gwc_crawler"
USER_AGENT = "gwc_crawler (+https://pypi.org/project/gwc-crawler/)"

# --- site files → spiders ---------------------------------------------------------------------------------------------
SPIDER_MODULES: list[str] = []  # your own spiders, written in Python; ours are made of site files
SPIDER_LOADER_CLASS = "gwc_crawler.spiders.loader.SiteSpiderLoader"
COMMANDS_MODULE = "gwc_crawler.commands"
GWC_SITES_DIR = "sites"
"""Where site files are looked for, relative to the working directory; the package `sites` is the fallback."""
GWC_DATA_DIR = "data"
"""Everything a crawl keeps: `<GWC_DATA_DIR>/<site>/crawl.db`, `samples.db`, `knowledge.json`; and for all crawls
`hosts.db` (their limits) and `names.db` (their addresses)."""

# --- frontier → leases → Requests -------------------------------------------------------------------------------------
GWC_FRONTIER = "sqlite"
"""Where the URLs of a crawl wait: sqlite (one process, one file) | redis (shared by many workers; REDIS_URL)."""
GWC_REDIS_KEEP_URLS = True
"""Redis keeps the text of complete URLs. Without it they take 18 bytes each, and can't be listed or retried."""
GWC_KNOWN_URLS = 300_000
"""Links a worker knows without asking the queue; about 150 bytes each. Those met least give way."""
GWC_LEASE_BATCH = 64
"""URLs leased at a time."""
GWC_LEASE_SECONDS = 600.0
"""A lease that ran this long without an end returns to the waiting URLs."""
GWC_MAX_LEASES = 5
"""A URL whose leases were lost this often is given up: it seems to be what kills the worker."""
GWC_MAX_PAGES = 0
"""Pages of one run at most, and of those to learn from; 0: no limit."""
GWC_RECRAWL = True
"""Keep of each page what a later `-a recrawl=due|all|errors` needs: ETag, Last-Modified, signature, next time."""
GWC_RECRAWL_START_SECONDS = 86_400.0
"""A page is due again after this time at first; later sooner if it has changed, else later."""
GWC_RECRAWL_MIN_SECONDS = 3_600.0
"""Shortest time until a page is due again; start pages always are after this time."""
GWC_RECRAWL_MAX_SECONDS = 2_592_000.0
"""Longest time until a page is due again: 30 days."""
GWC_CONDITIONAL_GET = True
"""Look again with ETag and Last-Modified; False for a server that answers 304 wrongly."""

# Traps and limits; beside them Scrapy's own DEPTH_LIMIT and URLLENGTH_LIMIT, and max_depth and max_pages in site files.
GWC_MAX_REPEATED_SEGMENTS = 3
"""How often a segment may stand in a path (digits: twice as often), or a pair in a query; 0: no limit."""
GWC_MAX_PATH_SEGMENTS = 20
"""Segments of a URL's path at most; 0: no limit."""
GWC_MAX_QUERY_KEYS = 16
"""Keys in a URL's query at most; 0: no limit."""
GWC_FRUITLESS_PAGES = 500
"""Pages in a row without a new target after which a class of directories is closed; on a whole site, pages of any class
without new text; 0: never."""
GWC_MAX_PAGES_PER_PATTERN = 0
"""Pages of one class of directories at most, over all runs and workers; 0: no limit."""
GWC_MAX_PAGES_PER_SITE = 0
"""Pages of one crawl at most, over all runs and workers; 0: no limit. For one run: GWC_MAX_PAGES."""
GWC_MAX_PAGES_PER_HOST = 0
"""Pages of one host at most, over all runs and workers; 0: no limit."""

GWC_PAGE_KINDS = "published"
"""How index pages (lists of links) are told from information pages (docs/page-kinds.md): published | weighed."""
GWC_LONGEST_PARAGRAPH = 150
"""As published, a page with a paragraph of more characters outside links is an information page: T-Spider's L."""
GWC_INFORMATION_LINKS = "auto"
"""Links that leave information pages and targets: cut (not followed) | follow | auto (cut where a site is crawled as a
whole). Those of start pages are always followed."""
GWC_FORM_LINKS = 100
"""With `deep = true`: addresses of one form at most. Of a form with more combinations each choice is varied by itself;
one with more options is left alone."""
# Where a site file says `sitemap`:
GWC_SITEMAP_BYTES = 52_428_800
"""Bytes of one sitemap, unpacked, that are read."""
GWC_SITEMAP_URLS = 50_000
"""URLs of one sitemap that are read."""
GWC_SITEMAP_LEVELS = 3
"""How far index files may lead: 1 reads no file of an index, 2 its files, 3 those of an index in an index."""
GWC_SITEMAP_FILES = 1_000
"""Sitemaps that index files may bring in one run; while learning, 5."""

GWC_QUEUE_POLICY = "host"
"""How URLs are assigned to queues: host | bkdr (a host's URLs spread by hash) | column (first directory) | ip | the
dotted path of your own function URL → name."""
GWC_QUEUES = 16
"""How many queues `bkdr` spreads the URLs of a host over."""
GWC_QUEUE_SEED = 131
"""The multiplier of BKDR's hash: 31, 131, 1313 …"""
GWC_QUEUE_LEASE = 0.0
"""Seconds for which a worker of a shared crawl owns parts of the queues; 0: all take URLs of all."""
GWC_PARTS = 16
"""Parts of a shared crawl's queues; at most 256. Holds from the beginning of a crawl to its end."""

# --- fleet: `scrapy work` ---------------------------------------------------------------------------------------------
GWC_FLEET = "fleet"
"""The fleet that a worker joins; fleets of other names may share the Redis."""
GWC_ADOPT_SITES = "never"
"""Other sites that pages link to: never (are listed) | named (those that a site file names are crawled) | template
(also those that a site file's [template] serves)."""
GWC_ADOPT_UP_TO = 10_000
"""Sites of a fleet at which no more are adopted: a trap can make up hosts without end."""
GWC_WORK_IDLE_SECONDS = 60.0
"""A worker that is wanted nowhere for this long leaves the fleet."""
GWC_WORK_SHARE = 500
"""A site gets one more worker while at least this many URLs wait for each."""

# --- download ---------------------------------------------------------------------------------------------------------
# CONCURRENT_REQUESTS_PER_DOMAIN, DOWNLOAD_DELAY, DOWNLOAD_SLOTS and AUTOTHROTTLE_* hold for each host (with
# CONCURRENT_REQUESTS_PER_IP: each address), however many slots it has, and for all workers of a shared crawl together;
# beside them robots.txt's crawl-delay, Retry-After, and a back-off on 429, 503, failed connections, time-outs and
# runs of 500s.
DOWNLOAD_VERIFY_CERTIFICATES = True
TWISTED_DNS_RESOLVER = "gwc_crawler.downloader.resolver.CachedResolver"  # GWC_DNS_*, DNS_TIMEOUT, DNSCACHE_SIZE
GWC_DNS_SERVERS: list[str] = []
"""Name servers: "192.0.2.1", "[2001:db8::1]:5353", with TLS "tls://192.0.2.1#dns.example"; none: the system's."""
GWC_DNS_HOSTS: dict[str, str | list[str]] = {}
"""Hosts that are at these addresses, whatever a name server says; in a site file: `[dns] hosts`."""
GWC_DNS_MIN_SECONDS = 10.0
"""Minimum time that an address is used, whatever its name server says."""
GWC_DNS_MAX_SECONDS = 86_400.0
"""Maximum time that an address is used, whatever its name server says."""
GWC_DNS_NEGATIVE_SECONDS = 300.0
"""Maximum time that a name counts as having no address."""
GWC_DNS_STALE_SECONDS = 86_400.0
"""Time that an expired address is still used while no name server answers; 0: none."""
GWC_DNS_AT_ONCE = 32
"""Questions to name servers under way at most."""
GWC_ALLOW_PRIVATE: list[str] = []
"""Hosts, addresses and networks off the Internet that a crawl may connect to, besides the hosts of its site file:
"wiki.example.com", "10.0.0.0/8", or "all"."""
GWC_CONTACT_NEEDED = False
"""Refuse to crawl while USER_AGENT names no page (https://…) or e-mail address of yours."""
GWC_HTTP2 = False
"""Fetch https by HTTP/2 where the server can, for sites that answer nothing else; it costs more CPU time. Needs
`gwc-crawler[http2]`."""
ROBOTSTXT_OBEY = True
GWC_ROBOTS_PATIENCE_SECONDS = 300.0
"""How long URLs wait while their robots.txt is answered by 408, 429, 502, 503 or 504; then they are given up."""
GWC_RETRY_BASE_SECONDS = 1.0
"""First wait before a failed URL, robots.txt or login is tried again, and of a host's back-off; doubles with each
attempt. Failures of a host closer together than half of it count as one."""
GWC_RETRY_MAX_SECONDS = 300.0
"""Longest such wait; a server's Retry-After and crawl-delay are obeyed up to this."""
GWC_REUSE_SAMPLES_SECONDS = 86400.0
"""A page that was fetched to learn from less than this ago is read from its store, not fetched again; 0: never."""
GWC_SILENT_HOST_SECONDS = 1800.0
"""A host that had answered and answers no more is given up for the run after this time (exit code 3); its URLs wait for
the next run; 0: never."""
GWC_BROWSER = "none"
"""Which pages Chromium renders before they are read: none | targets | all; `browser` in a site file ranks above it.
Needs `gwc-crawler[browser]`."""
GWC_BROWSER_PATH = ""
"""Chromium's path; empty: the installed `chromium` or `google-chrome`, else Playwright's."""
GWC_BROWSER_SANDBOX = True
"""Run pages in Chromium's sandbox, which refuses root; False only where all pages are trusted."""
GWC_BROWSER_PAGES = 4
"""Pages rendered at once."""
GWC_BROWSER_SECONDS = 30.0
"""Maximum time to render a page, with all that its scripts request."""
# --- store ------------------------------------------------------------------------------------------------------------
GWC_SINK = "sqlite"
"""Who gets pages and records, one or several, with commas between: sqlite (the crawl's own database) | mssql (a SQL
Server) | redis (a list) | the dotted path of a sink of your own (docs/sinks.md)."""
GWC_BUSY_SECONDS = 10.0
"""How long a commit waits for another process that writes to the file; then the crawl ends, losing nothing."""
GWC_COMMIT_PAGES = 50
"""Pages in one commit at most. The profiles `mssql` and `cluster` have 100: there each commit is a question to a
server."""
GWC_COMMIT_SECONDS = 1.0
"""Age at which a smaller batch is committed."""
GWC_KEEP_HTML = "targets"
"""Whose HTML is kept: raw or all (all of it as it came) | targets (theirs and look-alikes', as it came) | stripped (all
of it without tags' noise) | none. What came is what `scrapy extract` reads; beside it, GWC_STRIP says what is stored
stripped."""
GWC_HISTORY = False
"""Keep what becomes of each record: new, changed, removed. `scrapy changes` shows it."""
GWC_HTML_FILES = "none"
"""Whose HTML is also saved as a file, `html/ab/cd/<digits>.html`: all | targets (look-alikes included) | none."""
GWC_KEEP_FILES = "targets"
"""Which bodies that are no HTML are saved (`files/ab/<SHA-256>.pdf`): none | targets | all | media types such as
`application/pdf image/*`. With all and types, links to such files are followed. Fields of type `file` are always
saved."""
GWC_FILES_STORE = ""
"""Where these are saved: a folder, or s3://…, gs://…, ftp://… with the settings of Scrapy's FILES_STORE; empty:
`<GWC_DATA_DIR>/<site>`."""
GWC_WARC = ""
"""Record every exchange in WARC files whose names begin so, below `<GWC_DATA_DIR>/<site>`: `warc/` makes
`warc/<site>-….warc.gz`; empty: none."""
GWC_WARC_MAX_BYTES = 1_000_000_000
"""Size at which a WARC file is closed and another one begun."""
GWC_STRIP = "all"
"""Whose HTML is stored without tags' noise (TagStrip): all | targets | none."""
GWC_STRIP_GROUPS = "head,scripts,forms,empty,others"
"""What that noise is: groups of tags (head: head title meta style | scripts | forms: input select option | empty: blank
texts | others: object param img br), and tags of your own, e.g. "scripts,empty,nav,svg"."""
GWC_STRIP_FIELDS: list[str] = []
"""`StripPipeline`: fields of items that are stripped; empty: those that are HTML from their first character to their
last."""
GWC_STRIP_ROWS = 500
"""`scrapy strip`: rows read at a time."""
GWC_STRIP_BLOCK_PAGES = 100
"""`scrapy strip`: pages that are stripped and written at a time."""
GWC_STRIP_BLOCKS = 10
"""`scrapy strip`: blocks in memory at most."""
GWC_MAIN_TEXT = "information"
"""Whose abstract and body are the main text, without menus: information (pages to read that are no targets) | targets
(these, too) | none."""

# SQL Server (GWC_SINK = mssql, and `SqlServerPipeline`): docs/sql-server.md. Where it is, and who may write there, may
# also be said by environment variables of the same names: they hold where the settings are empty.
GWC_MSSQL_HOST = ""
"""The server's name or address; else localhost."""
GWC_MSSQL_PORT = ""
"""Its port; else 1433."""
GWC_MSSQL_USER = ""
"""Who signs in there."""
GWC_MSSQL_PASSWORD = ""
"""With which password; better in the environment than here."""
GWC_MSSQL_DATABASE = ""
"""The database; it exists already."""
GWC_MSSQL_SCHEMA = ""
"""The schema of the tables, else dbo; made when it is missing."""
GWC_MSSQL_ENCRYPTION = ""
"""TLS to the server: require (also where nothing is said) | request (where it can) | off."""
GWC_MSSQL_WRITERS = 1
"""Processes that write, with one connection each."""
GWC_MSSQL_TIMEOUT_SECONDS = 60
"""A statement that takes longer has failed, and is tried again."""
GWC_MSSQL_RETRY_SECONDS = 30.0
"""Longest wait between two tries while the server is away; the first is a quarter of a second."""
GWC_MSSQL_SPILL_BYTES = 2_000_000_000
"""Size of what may wait on disk for the server, in `<GWC_DATA_DIR>/<site>/mssql`; then the crawl waits."""
GWC_MSSQL_CLOSE_SECONDS = 60.0
"""How long the end of a crawl waits for the server; the rest is for the next run."""
GWC_MSSQL_LISTS = "json"
"""Lists of records: json (in their column) | tables (besides, an item a row, in `list_items`)."""
GWC_MSSQL_PROCEDURE = ""
"""A stored procedure, `save` or `schema.save`, that gets @title and @content of each page that is new or newer."""
GWC_MSSQL_TABLE = ""
"""`SqlServerPipeline`: the table of a spider's items; empty: `items_<spider>`."""
GWC_MSSQL_KEY = "url"
"""`SqlServerPipeline`: the fields, with commas between, that tell items apart; an item without them is told by all."""
GWC_MSSQL_TYPES: dict[str, str] = {}
"""`SqlServerPipeline`: field → number | int | float | date | bit; the others are texts, lists as JSON."""

# PostgreSQL (GWC_SINK = postgres): docs/sql-server.md. GWC_MSSQL_WRITERS, _TIMEOUT_SECONDS, _RETRY_SECONDS,
# _SPILL_BYTES, _CLOSE_SECONDS, _LISTS and _PROCEDURE hold for it, too.
GWC_POSTGRES_URL = ""
"""Where it is, as a setting or an environment variable: `postgresql://user@host:5432/database`; PGPASSWORD has the
password."""
GWC_POSTGRES_SCHEMA = ""
"""The schema of the tables, else public; made when it is missing."""

# --- processes --------------------------------------------------------------------------------------------------------
GWC_WORKERS = "1"
"""Processes of one crawl: one fetches and stores, the others read pages for it; auto: one for each core, once the crawl
is large enough. `-a workers=…` ranks above it; docs/workers.md."""

GWC_ON_DRIFT = "warn"
"""When a field falls away from the pages: warn (once) | pause (until the knowledge file changes) | stop."""

# --- operations -------------------------------------------------------------------------------------------------------
GWC_PROGRESS = "auto"
"""Progress line on stderr: on | off | auto (on unless the log goes there at INFO)."""
GWC_DASHBOARD_TOKEN = ""
"""The token of `scrapy dashboard`, at least 8 characters; empty: a new one at each start."""
LOG_LEVEL = "INFO"
GWC_LOG_FORMAT = "text"
"""Lines of the log: text (as LOG_FORMAT says) | json (an object each: ts, level, logger, message, error)."""
GWC_HERITRIX_LOGS = False
"""Write `crawl.log` and `progress-statistics.log`, as Heritrix does, into `<GWC_DATA_DIR>/<site>`."""
GWC_LOG_MAX_BYTES = 100_000_000
"""Size at which each of them is put aside; five such files are kept."""
GWC_METRICS_PORT = 0
"""Port of /metrics for Prometheus, one for each process; 0: none."""
GWC_METRICS_HOST = "127.0.0.1"
"""The address of that port; "0.0.0.0" lets other machines ask, who need no password."""
GWC_ALERTS: list[str] = []
"""Who gets messages: addresses of Apprise (https://hooks.example/…, mailto://…), best given as the environment variable
of this name, with spaces between. Needs `gwc-crawler[alerts]`."""
GWC_ALERT_ON = "drift,end,error,silence"
"""Of what they are told: drift (a field falls away) | end (a run) | error (in the log) | silence (of a host)."""
GWC_GC_THRESHOLD = 20_000
"""Objects made between two runs of Python's cycle collector (its own default: 700); 0: leave the collector alone."""
TELNETCONSOLE_ENABLED = False
REMOTE_CONTROL_ENABLED = False
FEED_EXPORT_ENCODING = "utf-8"
