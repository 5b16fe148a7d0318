-- How a run has left the site, and the URLs that are not complete. What is complete by now stays so.
DELETE FROM #states
WHERE EXISTS (
    SELECT 1 FROM [dbo].[pages] AS t WITH (UPDLOCK, HOLDLOCK)
    WHERE t.url_id = #states.url_id AND t.fetched_at > CAST(#states.told_at AS DATETIME2(6))
)
GO
UPDATE t SET t.state = s.state, t.reason = s.reason, t.attempts = s.attempts, t.weight = s.weight, t.depth = s.depth
FROM [dbo].[urls] AS t
INNER JOIN #states AS s ON s.url_id = t.url_id
GO
INSERT INTO [dbo].[urls] (url_id, site, url, host, state, reason, attempts, weight, depth)
SELECT s.url_id, s.site, s.url, s.host, s.state, s.reason, s.attempts, s.weight, s.depth
FROM #states AS s
WHERE NOT EXISTS (SELECT 1 FROM [dbo].[urls] AS t WITH (UPDLOCK, HOLDLOCK) WHERE t.url_id = s.url_id)
GO
INSERT INTO [dbo].[sites] (found_by, site, host, name, state, link_count, first_url, found_at)
SELECT s.found_by, s.site, COALESCE(s.host, N''), s.name, s.state, 0, s.first_url, CAST(s.found_at AS DATETIME2(6))
FROM #sites AS s
WHERE NOT EXISTS (
    SELECT 1 FROM [dbo].[sites] AS t WITH (UPDLOCK, HOLDLOCK) WHERE t.found_by = s.found_by AND t.site = s.site
)
GO
UPDATE t SET t.state = s.state, t.name = s.name
FROM [dbo].[sites] AS t
INNER JOIN #sites AS s ON s.found_by = t.found_by AND s.site = t.site
