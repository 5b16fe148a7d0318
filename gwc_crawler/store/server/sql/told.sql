-- What the pages of a batch lack, and the items of their lists, in the place of what was said of them before.
DELETE FROM [dbo].[exceptions]
WHERE url_id IN (SELECT moved_id FROM #pages WHERE moved_id IS NOT NULL UNION ALL SELECT url_id FROM #pages)
GO
DELETE FROM [dbo].[list_items]
WHERE url_id IN (SELECT moved_id FROM #pages WHERE moved_id IS NOT NULL UNION ALL SELECT url_id FROM #pages)
GO
INSERT INTO [dbo].[exceptions] (url_id, site, url, field, reason, closest)
SELECT s.url_id, s.site, s.url, COALESCE(s.field, N''), COALESCE(LEFT(s.reason, LEN(s.reason) - 1), N''), COALESCE(LEFT(s.closest, LEN(s.closest) - 1), N'')
FROM #exceptions AS s
WHERE s.url_id IN (SELECT url_id FROM #pages)
GO
INSERT INTO [dbo].[list_items] (url_id, site, field, position, part, value)
SELECT s.url_id, s.site, s.field, s.position, COALESCE(s.part, N''), COALESCE(LEFT(s.value, LEN(s.value) - 1), N'')
FROM #items AS s
WHERE s.url_id IN (SELECT url_id FROM #pages)
