-- Pages that were read again without being fetched: their kinds. Texts, links, weights and states stay. What is not here,
-- or was fetched later, is left out.
DELETE FROM #pages
WHERE NOT EXISTS (
    SELECT 1 FROM [dbo].[pages] AS t WITH (UPDLOCK, HOLDLOCK)
    WHERE t.url_id = #pages.url_id AND t.fetched_at <= CAST(#pages.fetched_at AS DATETIME2(6))
)
GO
UPDATE t SET t.kind = s.kind
FROM [dbo].[pages] AS t
INNER JOIN #pages AS s ON s.url_id = t.url_id
GO
UPDATE t SET t.kind = s.kind
FROM [dbo].[urls] AS t
INNER JOIN #pages AS s ON s.url_id = t.url_id
WHERE t.state = 'C'
GO
UPDATE t SET t.pruned = s.pruned
FROM [dbo].[link_ids] AS t
INNER JOIN #pages AS s ON s.url_id = t.src
