-- Where a batch is copied to before it is taken over: tables of the writer's own session. Times are ISO 8601. A bulk
-- copy takes '' for NULL and drops blanks at the end: a text that may be so has a bar behind it. Long
-- contents are packed by gzip, texts in UTF-16, or both in ASCII, '' as NULL.
CREATE TABLE #pages (
    url_id BINARY(16) NOT NULL,
    moved_id BINARY(16) NULL,
    has_record INT NOT NULL,
    is_ascii INT NOT NULL,
    site NVARCHAR(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
    pruned INT NOT NULL,
    attempts INT NOT NULL,
    url NVARCHAR(MAX) NOT NULL,
    requested NVARCHAR(MAX) NULL,
    title NVARCHAR(MAX) NULL,
    kind NVARCHAR(20) NOT NULL,
    page_kind NVARCHAR(20) NULL,
    relevant INT NOT NULL,
    weight INT NOT NULL,
    depth INT NOT NULL,
    status INT NULL,
    content_type NVARCHAR(MAX) NULL,
    charset NVARCHAR(100) NULL,
    fetched_at VARCHAR(40) NOT NULL,
    abstract NVARCHAR(MAX) NULL,
    body VARBINARY(MAX) NULL,
    stripped_html VARBINARY(MAX) NULL,
    html VARBINARY(MAX) NULL,
    PRIMARY KEY (url_id)
)
GO
CREATE TABLE #urls (
    url_id BINARY(16) NOT NULL,
    site NVARCHAR(100) NOT NULL,
    url NVARCHAR(MAX) NOT NULL,
    host NVARCHAR(255) NULL,
    PRIMARY KEY (url_id)
)
GO
-- ends: keys of 16 bytes in a row, which #numbers (1, 2, …) parts.
CREATE TABLE #links (src BINARY(16) NOT NULL, pruned INT NOT NULL, ends VARBINARY(MAX) NOT NULL)
GO
CREATE TABLE #numbers (number INT NOT NULL, PRIMARY KEY (number))
GO
CREATE TABLE #exceptions (
    url_id BINARY(16) NOT NULL,
    site NVARCHAR(100) NOT NULL,
    url NVARCHAR(MAX) NOT NULL,
    field NVARCHAR(128) COLLATE Latin1_General_100_BIN2 NULL,
    reason NVARCHAR(MAX) NULL,
    closest NVARCHAR(MAX) NULL
)
GO
CREATE TABLE #outside (
    url_id BINARY(16) NOT NULL,
    found_by NVARCHAR(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
    site NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    number INT NOT NULL
)
GO
CREATE TABLE #sites (
    found_by NVARCHAR(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
    site NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    host NVARCHAR(255) NULL,
    name NVARCHAR(255) NULL,
    state CHAR(1) NOT NULL,
    first_url NVARCHAR(MAX) NOT NULL,
    found_at VARCHAR(40) NOT NULL
)
GO
CREATE TABLE #states (
    url_id BINARY(16) NOT NULL,
    site NVARCHAR(100) NOT NULL,
    url NVARCHAR(MAX) NOT NULL,
    host NVARCHAR(255) NULL,
    state CHAR(1) NOT NULL,
    reason NVARCHAR(MAX) NULL,
    attempts INT NOT NULL,
    weight INT NOT NULL,
    depth INT NOT NULL,
    told_at VARCHAR(40) NOT NULL
)
GO
CREATE TABLE #files (
    url_id BINARY(16) NOT NULL,
    page_id BINARY(16) NOT NULL,
    site NVARCHAR(100) NOT NULL,
    url NVARCHAR(MAX) NOT NULL,
    path NVARCHAR(MAX) NOT NULL,
    type NVARCHAR(255) NULL,
    size BIGINT NOT NULL,
    sha256 CHAR(64) NOT NULL,
    name NVARCHAR(MAX) NULL,
    fetched_at VARCHAR(40) NOT NULL
)
GO
CREATE TABLE #items (
    url_id BINARY(16) NOT NULL,
    site NVARCHAR(100) NOT NULL,
    field NVARCHAR(128) NOT NULL,
    position INT NOT NULL,
    part NVARCHAR(128) NULL,
    value NVARCHAR(MAX) NULL
)
GO
CREATE TABLE #parts (
    page_id BINARY(16) NOT NULL,
    field NVARCHAR(128) NOT NULL,
    site NVARCHAR(100) NOT NULL,
    page_url NVARCHAR(MAX) NOT NULL,
    record_id BINARY(16) NOT NULL,
    number INT NULL,
    items NVARCHAR(MAX) NOT NULL
)
