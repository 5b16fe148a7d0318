-- What goes with items that have no page, after their own table: values that do not go into their column, and lists.
-- A crawl's own exceptions of the same URL stay.
DELETE FROM [dbo].[exceptions]
WHERE url_id IN (SELECT url_id FROM #records) AND LEFT(reason, 12) = N'not stored: '
GO
INSERT INTO [dbo].[exceptions] (url_id, site, url, field, reason, closest)
SELECT s.url_id, s.site, s.url, COALESCE(s.field, N''), COALESCE(LEFT(s.reason, LEN(s.reason) - 1), N''), COALESCE(LEFT(s.closest, LEN(s.closest) - 1), N'')
FROM #exceptions AS s
WHERE s.url_id IN (SELECT url_id FROM #records) AND NOT EXISTS (
    SELECT 1 FROM [dbo].[exceptions] AS t WITH (UPDLOCK, HOLDLOCK)
    WHERE t.url_id = s.url_id AND t.field = COALESCE(s.field, N'')
)
GO
DELETE FROM [dbo].[list_items] WHERE url_id IN (SELECT url_id FROM #records)
GO
INSERT INTO [dbo].[list_items] (url_id, site, field, position, part, value)
SELECT s.url_id, s.site, s.field, s.position, COALESCE(s.part, N''), COALESCE(LEFT(s.value, LEN(s.value) - 1), N'')
FROM #items AS s
WHERE s.url_id IN (SELECT url_id FROM #records)
