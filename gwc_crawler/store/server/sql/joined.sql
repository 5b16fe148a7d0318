-- The parts of lists that a batch's pages show, after the pages: what these, or what was moved, showed before goes.
DELETE FROM [dbo].[record_parts]
WHERE page_id IN (SELECT url_id FROM #pages UNION ALL SELECT moved_id FROM #pages WHERE moved_id IS NOT NULL)
GO
INSERT INTO [dbo].[record_parts] (page_id, field, site, page_url, record_id, number, items)
SELECT s.page_id, s.field, s.site, s.page_url, s.record_id, s.number, s.items
FROM #parts AS s
WHERE s.page_id IN (SELECT url_id FROM #pages)
