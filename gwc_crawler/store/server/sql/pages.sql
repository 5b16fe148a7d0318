-- A batch of pages is taken over from the session's own tables, all of it in one transaction. What was fetched no later
-- than what is stored is left out first: so a batch that comes again, after an answer got lost, changes nothing.
DELETE FROM #pages
WHERE EXISTS (
    SELECT 1 FROM [dbo].[pages] AS t WITH (UPDLOCK, HOLDLOCK)
    WHERE t.url_id = #pages.url_id AND t.fetched_at >= CAST(#pages.fetched_at AS DATETIME2(6))
)
GO
-- Links to sites, the own one among them: those of a page that is stored already have been counted.
DELETE FROM #outside WHERE url_id NOT IN (SELECT url_id FROM #pages)
GO
INSERT INTO [dbo].[sites] (found_by, site, host, name, state, link_count, first_url, found_at)
SELECT s.found_by, s.site, COALESCE(s.host, N''), s.name, s.state, 0, s.first_url, CAST(s.found_at AS DATETIME2(6))
FROM #sites AS s
WHERE EXISTS (SELECT 1 FROM #outside AS o WHERE o.site = s.site)
AND NOT EXISTS (
    SELECT 1 FROM [dbo].[sites] AS t WITH (UPDLOCK, HOLDLOCK) WHERE t.found_by = s.found_by AND t.site = s.site
)
GO
UPDATE t SET t.state = s.state, t.name = s.name
FROM [dbo].[sites] AS t
INNER JOIN #sites AS s ON s.found_by = t.found_by AND s.site = t.site AND s.state = 'R'
GO
UPDATE t SET t.link_count = t.link_count + s.number
FROM [dbo].[sites] AS t
INNER JOIN (
    SELECT o.found_by AS found_by, o.site AS site, SUM(o.number) AS number FROM #outside AS o
    WHERE NOT EXISTS (SELECT 1 FROM [dbo].[pages] AS p WHERE p.url_id = o.url_id)
    GROUP BY o.found_by, o.site
) AS s ON s.found_by = t.found_by AND s.site = t.site
GO
-- A URL that has become a redirect has no page of its own any more.
DELETE FROM [dbo].[pages] WHERE url_id IN (SELECT moved_id FROM #pages WHERE moved_id IS NOT NULL)
GO
UPDATE t SET
    t.requested = s.requested, t.title = COALESCE(LEFT(s.title, LEN(s.title) - 1), N''), t.kind = s.kind, t.page_kind = s.page_kind,
    t.relevant = s.relevant, t.weight = s.weight, t.depth = s.depth, t.status = s.status, t.content_type = COALESCE(s.content_type, N''),
    t.charset = COALESCE(s.charset, N''), t.fetched_at = CAST(s.fetched_at AS DATETIME2(6)),
    t.abstract = COALESCE(LEFT(s.abstract, LEN(s.abstract) - 1), N''),
    t.body = COALESCE(CASE s.is_ascii WHEN 1 THEN CAST(DECOMPRESS(s.body) AS VARCHAR(MAX)) ELSE CAST(DECOMPRESS(s.body) AS NVARCHAR(MAX)) END, N''),
    t.stripped_html = COALESCE(CASE s.is_ascii WHEN 1 THEN CAST(DECOMPRESS(s.stripped_html) AS VARCHAR(MAX)) ELSE CAST(DECOMPRESS(s.stripped_html) AS NVARCHAR(MAX)) END, N''),
    t.html = s.html
FROM [dbo].[pages] AS t
INNER JOIN #pages AS s ON s.url_id = t.url_id
GO
INSERT INTO [dbo].[pages] (
    url_id, site, url, requested, title, kind, page_kind, relevant, weight, depth, status, content_type, charset, fetched_at,
    abstract, body, stripped_html, html
)
SELECT
    s.url_id, s.site, s.url, s.requested, COALESCE(LEFT(s.title, LEN(s.title) - 1), N''), s.kind, s.page_kind, s.relevant, s.weight, s.depth, s.status,
    COALESCE(s.content_type, N''), COALESCE(s.charset, N''), CAST(s.fetched_at AS DATETIME2(6)),
    COALESCE(LEFT(s.abstract, LEN(s.abstract) - 1), N''),
    COALESCE(CASE s.is_ascii WHEN 1 THEN CAST(DECOMPRESS(s.body) AS VARCHAR(MAX)) ELSE CAST(DECOMPRESS(s.body) AS NVARCHAR(MAX)) END, N''),
    COALESCE(CASE s.is_ascii WHEN 1 THEN CAST(DECOMPRESS(s.stripped_html) AS VARCHAR(MAX)) ELSE CAST(DECOMPRESS(s.stripped_html) AS NVARCHAR(MAX)) END, N''),
    s.html
FROM #pages AS s
WHERE NOT EXISTS (SELECT 1 FROM [dbo].[pages] AS t WITH (UPDLOCK, HOLDLOCK) WHERE t.url_id = s.url_id)
GO
INSERT INTO [dbo].[urls] (url_id, site, url, host)
SELECT s.url_id, s.site, s.url, COALESCE(s.host, N'')
FROM #urls AS s
WHERE NOT EXISTS (SELECT 1 FROM [dbo].[urls] AS t WITH (UPDLOCK, HOLDLOCK) WHERE t.url_id = s.url_id)
GO
UPDATE t SET
    t.state = 'C', t.kind = N'redirect', t.weight = s.weight, t.depth = s.depth, t.attempts = s.attempts,
    t.hits = t.hits + 1, t.reason = NULL,
    t.done_at = CAST(s.fetched_at AS DATETIME2(6))
FROM [dbo].[urls] AS t
INNER JOIN #pages AS s ON s.moved_id = t.url_id
GO
UPDATE t SET
    t.state = 'C', t.kind = s.kind, t.weight = s.weight, t.depth = s.depth, t.attempts = s.attempts,
    t.hits = t.hits + 1, t.reason = NULL,
    t.done_at = CAST(s.fetched_at AS DATETIME2(6))
FROM [dbo].[urls] AS t
INNER JOIN #pages AS s ON s.url_id = t.url_id
GO
DELETE FROM [dbo].[link_ids] WHERE src IN (SELECT url_id FROM #pages)
GO
INSERT INTO [dbo].[link_ids] (src, dst, pruned)
SELECT s.src, CAST(SUBSTRING(s.ends, 16 * n.number - 15, 16) AS BINARY(16)), s.pruned
FROM #links AS s
INNER JOIN #numbers AS n ON n.number <= DATALENGTH(s.ends) / 16
WHERE s.src IN (SELECT url_id FROM #pages)
GO
DELETE FROM [dbo].[files] WHERE url_id IN (SELECT s.url_id FROM #files AS s INNER JOIN #pages AS p ON p.url_id = s.page_id)
GO
INSERT INTO [dbo].[files] (url_id, site, url, path, type, size, sha256, name, fetched_at)
SELECT
    s.url_id, s.site, s.url, s.path, COALESCE(s.type, N''), s.size, s.sha256, COALESCE(s.name, N''),
    CAST(s.fetched_at AS DATETIME2(6))
FROM #files AS s
WHERE s.page_id IN (SELECT url_id FROM #pages)
