-- The tables of all crawls that write into this database: those of SQLite's file, with the site's name in each.
-- url_id is HASHBYTES('MD5', site + N' ' + url), so a URL has a row for each site that knows it.
-- "GO" stands between batches, as for sqlcmd. The schema [dbo] stands for the one that GWC_MSSQL_SCHEMA names.

-- Every URL known here. state: C complete, others as the last run left them; NULL: only known as the end of a link.
-- hits: how often it was fetched; reason: why it failed.
CREATE TABLE [dbo].[urls] (
    url_id BINARY(16) NOT NULL,
    site NVARCHAR(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
    url NVARCHAR(MAX) COLLATE Latin1_General_100_BIN2 NOT NULL,
    host NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    state CHAR(1) COLLATE Latin1_General_100_BIN2 NULL,
    kind NVARCHAR(20) COLLATE Latin1_General_100_BIN2 NULL,
    weight INT NULL,
    depth INT NULL,
    attempts INT NULL,
    done_at DATETIME2(6) NULL,
    hits INT NOT NULL DEFAULT 0,
    reason NVARCHAR(MAX) NULL,
    PRIMARY KEY (url_id)
)
GO
CREATE INDEX urls_of_site ON [dbo].[urls] (site, state)
GO
-- One row for each page fetched. html: as it came, gzip: CAST(DECOMPRESS(html) AS VARCHAR(MAX)). page_kind: whether it is a list of links.
CREATE TABLE [dbo].[pages] (
    url_id BINARY(16) NOT NULL,
    site NVARCHAR(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
    url NVARCHAR(MAX) COLLATE Latin1_General_100_BIN2 NOT NULL,
    requested NVARCHAR(MAX) COLLATE Latin1_General_100_BIN2 NULL,
    title NVARCHAR(MAX) NOT NULL,
    kind NVARCHAR(20) COLLATE Latin1_General_100_BIN2 NOT NULL,
    relevant BIT NOT NULL,
    weight INT NOT NULL,
    depth INT NOT NULL,
    status INT NULL,
    content_type NVARCHAR(MAX) NOT NULL,
    charset NVARCHAR(100) NOT NULL,
    fetched_at DATETIME2(6) NOT NULL,
    abstract NVARCHAR(MAX) NOT NULL,
    body NVARCHAR(MAX) NOT NULL,
    stripped_html NVARCHAR(MAX) NOT NULL,
    html VARBINARY(MAX) NULL,
    page_kind NVARCHAR(20) COLLATE Latin1_General_100_BIN2 NULL,
    PRIMARY KEY (url_id)
)
GO
CREATE INDEX pages_of_site ON [dbo].[pages] (site, kind)
GO
-- The link graph by urls.url_id; the view has it by URL. pruned: leaves a content page.
CREATE TABLE [dbo].[link_ids] (
    src BINARY(16) NOT NULL,
    dst BINARY(16) NOT NULL,
    pruned BIT NOT NULL,
    PRIMARY KEY (src, dst)
)
GO
CREATE INDEX links_to ON [dbo].[link_ids] (dst)
GO
CREATE VIEW [dbo].[links] AS
    SELECT a.site AS site, a.url AS src_url, b.url AS dst_url, l.pruned AS pruned
    FROM [dbo].[link_ids] AS l
    INNER JOIN [dbo].[urls] AS a ON a.url_id = l.src
    INNER JOIN [dbo].[urls] AS b ON b.url_id = l.dst
GO
-- What a target page should have given and did not; field '' stands for the page as a whole.
CREATE TABLE [dbo].[exceptions] (
    url_id BINARY(16) NOT NULL,
    field NVARCHAR(128) COLLATE Latin1_General_100_BIN2 NOT NULL,
    site NVARCHAR(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
    url NVARCHAR(MAX) COLLATE Latin1_General_100_BIN2 NOT NULL,
    reason NVARCHAR(MAX) NOT NULL,
    closest NVARCHAR(MAX) NOT NULL,
    PRIMARY KEY (url_id, field)
)
GO
-- The site itself (name: that of its crawl), and other sites that its pages link to.
CREATE TABLE [dbo].[sites] (
    found_by NVARCHAR(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
    site NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    host NVARCHAR(255) COLLATE Latin1_General_100_BIN2 NOT NULL,
    name NVARCHAR(255) NOT NULL,
    state CHAR(1) COLLATE Latin1_General_100_BIN2 NOT NULL,
    link_count INT NOT NULL,
    first_url NVARCHAR(MAX) COLLATE Latin1_General_100_BIN2 NOT NULL,
    found_at DATETIME2(6) NOT NULL,
    PRIMARY KEY (found_by, site)
)
GO
-- What was kept of which URL as a file (GWC_KEEP_FILES, GWC_HTML_FILES).
CREATE TABLE [dbo].[files] (
    url_id BINARY(16) NOT NULL,
    site NVARCHAR(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
    url NVARCHAR(MAX) COLLATE Latin1_General_100_BIN2 NOT NULL,
    path NVARCHAR(MAX) COLLATE Latin1_General_100_BIN2 NOT NULL,
    type NVARCHAR(255) NOT NULL,
    size BIGINT NOT NULL,
    sha256 CHAR(64) NOT NULL,
    name NVARCHAR(MAX) NOT NULL,
    fetched_at DATETIME2(6) NOT NULL,
    PRIMARY KEY (url_id)
)
GO
-- With GWC_MSSQL_LISTS = tables: what the lists of records hold, an item a row; of a record inside the page a row for
-- each of its parts, which part names.
CREATE TABLE [dbo].[list_items] (
    url_id BINARY(16) NOT NULL,
    field NVARCHAR(128) COLLATE Latin1_General_100_BIN2 NOT NULL,
    position INT NOT NULL,
    part NVARCHAR(128) COLLATE Latin1_General_100_BIN2 NOT NULL,
    site NVARCHAR(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
    value NVARCHAR(MAX) NOT NULL,
    PRIMARY KEY (url_id, field, position, part)
)
GO
-- With [paging]: what each page shows of a list that goes over several. number: the page's place, NULL: the first that
-- is free. items: JSON, a list of rows; a row has the item's value in each of the field's columns.
CREATE TABLE [dbo].[record_parts] (
    page_id BINARY(16) NOT NULL,
    field NVARCHAR(128) COLLATE Latin1_General_100_BIN2 NOT NULL,
    site NVARCHAR(100) COLLATE Latin1_General_100_BIN2 NOT NULL,
    page_url NVARCHAR(MAX) COLLATE Latin1_General_100_BIN2 NOT NULL,
    record_id BINARY(16) NOT NULL,
    number INT NULL,
    items NVARCHAR(MAX) NOT NULL,
    PRIMARY KEY (page_id, field)
)
GO
CREATE INDEX record_parts_of ON [dbo].[record_parts] (record_id, field)
GO
-- Which record leads to which file, by their url_id.
CREATE TABLE [dbo].[file_uses] (
    file_id BINARY(16) NOT NULL,
    record_id BINARY(16) NOT NULL,
    PRIMARY KEY (file_id, record_id)
)
GO
CREATE INDEX file_uses_of ON [dbo].[file_uses] (record_id)
GO
-- Which of these tables are here: a program that makes others says so.
CREATE TABLE [dbo].[gwc_versions] (version INT NOT NULL, applied_at DATETIME2(0) NOT NULL, PRIMARY KEY (version))
