-- All tables of a crawl's own file (and of a pre-crawl's) but for its records' and what is stripped: made at once.
-- Every URL ever seen. state: U waiting, R leased, C complete, E error; NULL: only known as the end of a link.
-- weight: of U, R and E the least weight of the pages that led here; of C the page's own. Times: seconds since 1970.
CREATE TABLE IF NOT EXISTS urls (
    id INTEGER PRIMARY KEY,
    url TEXT NOT NULL,
    md5 INTEGER NOT NULL UNIQUE,     -- the first 64 bits of the URL's MD5
    host TEXT NOT NULL,
    state TEXT,
    kind TEXT,
    weight INTEGER NOT NULL DEFAULT 0,
    depth INTEGER NOT NULL DEFAULT 0,
    attempts INTEGER NOT NULL DEFAULT 0,
    hits INTEGER NOT NULL DEFAULT 0, -- how often it was fetched
    lost INTEGER NOT NULL DEFAULT 0, -- leases that ended without a word: the worker died, or they ran out
    reason TEXT,
    queue INTEGER,                   -- queues.id
    parent INTEGER,                  -- urls.id of the page that gave the weight
    lease_owner TEXT,
    lease_until REAL,
    token INTEGER NOT NULL DEFAULT 0,
    due_at REAL,
    added_at REAL,
    done_at REAL
);
-- One row for each page fetched. body: its visible text, of an information page its main text; abstract: how that
-- begins; html: as it came, packed (gwc_crawler.store.sqlite.bodies). The long columns stand last.
CREATE TABLE IF NOT EXISTS pages (
    id INTEGER PRIMARY KEY,          -- urls.id
    url TEXT NOT NULL UNIQUE,
    requested TEXT,                  -- the URL before redirects, where it differs
    title TEXT,
    kind TEXT NOT NULL,
    page_kind TEXT,                  -- index or information, whatever it is for the crawl (T-Spider, algorithm 1)
    relevant INTEGER NOT NULL,
    weight INTEGER NOT NULL,
    depth INTEGER NOT NULL,
    status INTEGER,
    content_type TEXT,
    charset TEXT,
    fetched_at REAL NOT NULL,
    abstract TEXT,
    body TEXT,
    stripped_html TEXT,
    html BLOB
);
-- The link graph by urls.id, and by URL. pruned: leaves a content page, so it says nothing of the site's own order.
CREATE TABLE IF NOT EXISTS link_ids (
    src INTEGER NOT NULL, dst INTEGER NOT NULL, pruned INTEGER NOT NULL, PRIMARY KEY (src, dst)
) WITHOUT ROWID;
CREATE VIEW IF NOT EXISTS links AS
    SELECT a.url AS src_url, b.url AS dst_url, l.pruned FROM link_ids AS l
    JOIN urls AS a ON a.id = l.src JOIN urls AS b ON b.id = l.dst;
-- What a target page should have given and did not; field '' stands for the page as a whole, of whatever kind.
CREATE TABLE IF NOT EXISTS exceptions (
    url TEXT NOT NULL, field TEXT NOT NULL, reason TEXT NOT NULL, closest TEXT NOT NULL, PRIMARY KEY (url, field)
) WITHOUT ROWID;
-- Other sites that pages link to: state U until somebody adopts them.
CREATE TABLE IF NOT EXISTS sites (
    site TEXT PRIMARY KEY, host TEXT NOT NULL, name TEXT NOT NULL, state TEXT NOT NULL DEFAULT 'U',
    link_count INTEGER NOT NULL DEFAULT 0, first_url TEXT, found_at REAL
) WITHOUT ROWID;
-- What pages' html is unpacked with: of zstd, each with the number that a packed page names.
CREATE TABLE IF NOT EXISTS dictionaries (
    id INTEGER PRIMARY KEY, made_at REAL NOT NULL, pages INTEGER NOT NULL, dictionary BLOB NOT NULL
);
-- What each page shows of a list that goes over several. number: the page's place, NULL: the first that is free.
-- items: JSON, a list of rows; a row has the item's value in each of the field's columns.
CREATE TABLE IF NOT EXISTS record_parts (
    page_url TEXT NOT NULL, field TEXT NOT NULL, parent_url TEXT NOT NULL, number INTEGER, items TEXT NOT NULL,
    PRIMARY KEY (page_url, field)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS record_parts_of ON record_parts (parent_url, field);
-- What became of records, with GWC_HISTORY. what: new | changed | removed. field: the column; '' for the record as a
-- whole. old, new: values as stored; of a removed record, old is all of it as JSON. cause: crawl | extract.
CREATE TABLE IF NOT EXISTS changes (
    id INTEGER PRIMARY KEY, url TEXT NOT NULL, at REAL NOT NULL, what TEXT NOT NULL, field TEXT NOT NULL,
    old, new, cause TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS changes_by_url ON changes (url, at);
CREATE INDEX IF NOT EXISTS changes_by_time ON changes (at, id);
-- What was kept of which URL. path: in the files store (GWC_FILES_STORE); type: by its bytes; name: what it was called.
CREATE TABLE IF NOT EXISTS files (
    url TEXT PRIMARY KEY, path TEXT NOT NULL, type TEXT NOT NULL, size INTEGER NOT NULL, sha256 TEXT NOT NULL,
    name TEXT NOT NULL, fetched_at REAL NOT NULL
) WITHOUT ROWID;
-- Which record leads to which file.
CREATE TABLE IF NOT EXISTS file_uses (
    file_url TEXT NOT NULL, record_url TEXT NOT NULL, PRIMARY KEY (file_url, record_url)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS file_uses_of ON file_uses (record_url);
-- What was archived last of a URL: its payload's digest, and the WARC record that holds it, with that record's URL and
-- date.
CREATE TABLE IF NOT EXISTS archived (
    url TEXT PRIMARY KEY, digest TEXT NOT NULL, record TEXT NOT NULL, record_url TEXT NOT NULL,
    record_date TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS archived_by_digest ON archived (digest);
-- What people want of the crawl ('pause', 'stops') and what its process says of itself ('worker OWNER').
CREATE TABLE IF NOT EXISTS board (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
-- URLs that were cut off, by reason and, where a class of URLs is meant, by its regex; examples: a JSON list of URLs.
CREATE TABLE IF NOT EXISTS cuts (
    reason TEXT, pattern TEXT, count INTEGER NOT NULL, examples TEXT NOT NULL, last_at REAL NOT NULL,
    PRIMARY KEY (reason, pattern)
) WITHOUT ROWID;
-- The directory classes: what each brought lately, and whether it is closed; state: JSON of admission's ClassState.
CREATE TABLE IF NOT EXISTS url_classes (regex TEXT PRIMARY KEY, state TEXT NOT NULL) WITHOUT ROWID;
-- Texts that several targets without a record show, by a hash; state: JSON of admission's SamePage.
CREATE TABLE IF NOT EXISTS same_pages (hash TEXT PRIMARY KEY, state TEXT NOT NULL) WITHOUT ROWID;
-- What robots.txt of each host (scheme, name and port) said, and when it was read (epoch seconds).
CREATE TABLE IF NOT EXISTS robots (origin TEXT PRIMARY KEY, digest BLOB NOT NULL, read_at REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS robots_texts (digest BLOB PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID;
-- A look at the pages fetched so far: how many there were, how many there are to be at the next look, why the decision
-- is not settled ('' where it is), from how many pages on the filters were the same (0: they were not), the filters of
-- the moment as JSON, a digest of what of the site file is learned.
CREATE TABLE IF NOT EXISTS drafts (
    pages INTEGER PRIMARY KEY, next_at INTEGER NOT NULL, doubt TEXT NOT NULL, since INTEGER NOT NULL,
    draft TEXT NOT NULL, task TEXT NOT NULL
);
-- The feeds (-o, -O, FEEDS) that records went to, and where their files end.
CREATE TABLE IF NOT EXISTS feeds (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,        -- the feed's address before %(time)s and the like
    options TEXT NOT NULL,           -- a feed with other options begins anew
    uri TEXT NOT NULL,
    batch INTEGER NOT NULL,          -- batch_item_count: the present file's number
    items INTEGER NOT NULL,          -- rows in the present file
    start INTEGER NOT NULL,          -- where our part of the file begins
    length INTEGER NOT NULL,         -- where it ends: what follows was never noted, and is cut off
    crc INTEGER NOT NULL,            -- of our part, which somebody may have changed
    names TEXT,                      -- JSON: the first row's fields; a CSV has them as its columns
    changes INTEGER NOT NULL,        -- holds what a recrawl found, not all records
    finished INTEGER NOT NULL,       -- the crawl, or the round of a recrawl, was over when it was closed
    is_open INTEGER NOT NULL,        -- it is being written, or whoever wrote it was killed
    outdated INTEGER NOT NULL,       -- a record in it has changed: to be written anew
    seen_at REAL NOT NULL            -- records stored later are not in it
);
-- urls.id of its records. sent 0: still owed; 1: written; 2: in a file that is not delivered yet.
CREATE TABLE IF NOT EXISTS feed_rows (
    feed INTEGER NOT NULL, id INTEGER NOT NULL, sent INTEGER NOT NULL, PRIMARY KEY (feed, id)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS feed_rows_owed ON feed_rows (feed, id) WHERE sent = 0;
-- The queues that URLs wait in: one for each host, or (name "KEY HOST") for each key that the queue policy gives its
-- URLs; nothing is given out of one before not_before.
CREATE TABLE IF NOT EXISTS queues (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, not_before REAL);
-- The admitted links of completed pages whose weight may still fall: 64-bit urls.id each, native byte order.
CREATE TABLE IF NOT EXISTS held_links (url_id INTEGER PRIMARY KEY, links BLOB NOT NULL);
-- How many URLs are in each state (U R C E), the last fencing token, the weight threshold.
CREATE TABLE IF NOT EXISTS frontier_values (name TEXT PRIMARY KEY, value INTEGER) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS urls_ready ON urls (queue, weight) WHERE state = 'U' AND due_at IS NULL;
CREATE INDEX IF NOT EXISTS urls_later ON urls (due_at) WHERE state = 'U' AND due_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS urls_leased ON urls (lease_until) WHERE state = 'R';
CREATE INDEX IF NOT EXISTS urls_tokens ON urls (token) WHERE state = 'R';
-- Links that were refused because robots.txt forbids them, with the weight and depth they would have had.
CREATE TABLE IF NOT EXISTS refused_links (url_id INTEGER PRIMARY KEY, weight INTEGER NOT NULL, depth INTEGER NOT NULL);
-- What a later look at a page needs, and what looking again has shown. Times: seconds since 1970.
CREATE TABLE IF NOT EXISTS revisits (
    id INTEGER PRIMARY KEY,          -- urls.id
    signature INTEGER NOT NULL,      -- 64 bits of what matters on the page
    relevant INTEGER NOT NULL,
    interval_seconds REAL NOT NULL,
    checked_at REAL NOT NULL,
    changed_at REAL NOT NULL,
    due_at REAL NOT NULL,
    checks INTEGER NOT NULL,         -- looks after the first
    changes INTEGER NOT NULL,        -- those that found something changed
    gone_at REAL,                    -- since when there is no such page any more
    etag TEXT,
    last_modified TEXT
);
-- What pages name as their canonical address (urls.id) → the first of them, read in its place should it give no page.
CREATE TABLE IF NOT EXISTS aliases (main INTEGER PRIMARY KEY, alias INTEGER NOT NULL);
