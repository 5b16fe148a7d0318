-- What was copied gets its '' and its blanks at the end back: without the bar behind them (see stage.sql).
UPDATE #pages SET title = LEFT(title, LEN(title) - 1) WHERE CHARINDEX(',title,', guarded) > 0
GO
UPDATE #pages SET abstract = LEFT(abstract, LEN(abstract) - 1) WHERE CHARINDEX(',abstract,', guarded) > 0
GO
UPDATE #exceptions SET reason = LEFT(reason, LEN(reason) - 1) WHERE CHARINDEX(',reason,', guarded) > 0
GO
UPDATE #exceptions SET closest = LEFT(closest, LEN(closest) - 1) WHERE CHARINDEX(',closest,', guarded) > 0
GO
UPDATE #items SET value = LEFT(value, LEN(value) - 1) WHERE CHARINDEX(',value,', guarded) > 0
