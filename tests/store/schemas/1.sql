BEGIN TRANSACTION;
CREATE TABLE archived (
    url TEXT PRIMARY KEY, digest TEXT NOT NULL, record TEXT NOT NULL, record_url TEXT NOT NULL,
    record_date TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE board (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE cuts (
    reason TEXT, pattern TEXT, count INTEGER NOT NULL, examples TEXT NOT NULL, last_at REAL NOT NULL,
    PRIMARY KEY (reason, pattern)
) WITHOUT ROWID;
CREATE TABLE drafts (
    pages INTEGER PRIMARY KEY, next_at INTEGER NOT NULL, doubt TEXT NOT NULL, since INTEGER NOT NULL,
    draft TEXT NOT NULL, task TEXT NOT NULL
);
CREATE TABLE exceptions (
    url TEXT NOT NULL, field TEXT NOT NULL, reason TEXT NOT NULL, closest TEXT NOT NULL, PRIMARY KEY (url, field)
) WITHOUT ROWID;
CREATE TABLE file_uses (
    file_url TEXT NOT NULL, record_url TEXT NOT NULL, PRIMARY KEY (file_url, record_url)
) WITHOUT ROWID;
CREATE TABLE files (
    url TEXT PRIMARY KEY, path TEXT NOT NULL, type TEXT NOT NULL, size INTEGER NOT NULL, sha256 TEXT NOT NULL,
    name TEXT NOT NULL, fetched_at REAL NOT NULL
) WITHOUT ROWID;
CREATE TABLE frontier_values (name TEXT PRIMARY KEY, value INTEGER) WITHOUT ROWID;
INSERT INTO "frontier_values" VALUES('C',2);
INSERT INTO "frontier_values" VALUES('R',0);
INSERT INTO "frontier_values" VALUES('U',1);
INSERT INTO "frontier_values" VALUES('max_weight',1073741824);
INSERT INTO "frontier_values" VALUES('now',1000);
INSERT INTO "frontier_values" VALUES('token',2);
CREATE TABLE held_links (url_id INTEGER PRIMARY KEY, links BLOB NOT NULL);
CREATE TABLE link_ids (
    src INTEGER NOT NULL, dst INTEGER NOT NULL, pruned INTEGER NOT NULL, PRIMARY KEY (src, dst)
) WITHOUT ROWID;
INSERT INTO "link_ids" VALUES(1,2,0);
INSERT INTO "link_ids" VALUES(1,3,0);
CREATE TABLE pages (
    id INTEGER PRIMARY KEY,          -- urls.id
    url TEXT NOT NULL UNIQUE,
    requested TEXT,                  -- the URL before redirects, where it differs
    title TEXT,
    kind TEXT NOT NULL,
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
INSERT INTO "pages" VALUES(1,'http://shop.example/',NULL,'Start','directory',1,0,0,200,'text/html','utf-8',1000.0,'Text','Text Start','<p>Text Start',X'785EB3C928C9CDB1B329C92CC949B50B2E492C2AB1D187706C0AEC42522B4A14C082001F090E62');
INSERT INTO "pages" VALUES(2,'http://shop.example/1',NULL,'Thör','target',1,0,1,200,'text/html','utf-8',1000.0,'Text','Text Thör','<p>Text Thör',X'785EB3C928C9CDB1B329C92CC949B50BC938BCADC8461FC2B129B00B49AD2851000B02002E980F94');
CREATE TABLE queues (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, not_before REAL);
INSERT INTO "queues" VALUES(1,'shop.example',NULL);
CREATE TABLE record_parts (
    page_url TEXT NOT NULL, field TEXT NOT NULL, parent_url TEXT NOT NULL, number INTEGER, items TEXT NOT NULL,
    PRIMARY KEY (page_url, field)
) WITHOUT ROWID;
CREATE TABLE "records_shop" (url TEXT PRIMARY KEY, fetched_at REAL NOT NULL, "title" TEXT, "price" NUMERIC, "tags" TEXT, "tags_raw" TEXT, "cover" TEXT, "cover_file" TEXT);
INSERT INTO "records_shop" VALUES('http://shop.example/1',1000.0,'Thör',9.5,NULL,NULL,NULL,NULL);
CREATE TABLE refused_links (url_id INTEGER PRIMARY KEY, weight INTEGER NOT NULL, depth INTEGER NOT NULL);
CREATE TABLE revisits (
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
CREATE TABLE robots (origin TEXT PRIMARY KEY, digest BLOB NOT NULL, read_at REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE robots_texts (digest BLOB PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE sites (
    site TEXT PRIMARY KEY, host TEXT NOT NULL, name TEXT NOT NULL, state TEXT NOT NULL DEFAULT 'U',
    link_count INTEGER NOT NULL DEFAULT 0, first_url TEXT, found_at REAL
) WITHOUT ROWID;
CREATE TABLE url_classes (regex TEXT PRIMARY KEY, state TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE urls (
    id INTEGER PRIMARY KEY,
    url TEXT NOT NULL,
    md5 INTEGER NOT NULL UNIQUE,     -- the first 64 bits of the URL's MD5
    host TEXT NOT NULL,
    state TEXT,
    kind TEXT,
    weight INTEGER NOT NULL DEFAULT 0,
    depth INTEGER NOT NULL DEFAULT 0,
    attempts INTEGER NOT NULL DEFAULT 0,
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
INSERT INTO "urls" VALUES(1,'http://shop.example/',369649335980512220,'shop.example','C','directory',0,0,1,0,NULL,1,NULL,NULL,NULL,1,NULL,1000.0,1000.0);
INSERT INTO "urls" VALUES(2,'http://shop.example/1',-235038211382962053,'shop.example','C','target',0,1,1,0,NULL,1,1,NULL,NULL,2,NULL,1000.0,1000.0);
INSERT INTO "urls" VALUES(3,'http://shop.example/2',-9126573878879440505,'shop.example','U',NULL,0,1,0,0,NULL,1,1,NULL,NULL,0,NULL,1000.0,NULL);
CREATE INDEX urls_ready ON urls (queue, weight) WHERE state = 'U' AND due_at IS NULL;
CREATE INDEX urls_later ON urls (due_at) WHERE state = 'U' AND due_at IS NOT NULL;
CREATE INDEX urls_leased ON urls (lease_until) WHERE state = 'R';
CREATE INDEX urls_tokens ON urls (token) WHERE state = 'R';
CREATE INDEX record_parts_of ON record_parts (parent_url, field);
CREATE INDEX file_uses_of ON file_uses (record_url);
CREATE VIEW links AS
    SELECT a.url AS src_url, b.url AS dst_url, l.pruned FROM link_ids AS l
    JOIN urls AS a ON a.id = l.src JOIN urls AS b ON b.id = l.dst;
CREATE INDEX archived_by_digest ON archived (digest);
COMMIT;
