-- Adding, finding, changing and removing saved pages, as stored procedures. Installed by
--     sqlcmd -S SERVER -d DATABASE -i deploy/sql/pages.sql
-- and used by a crawl with GWC_MSSQL_PROCEDURE = "gwc_page_add": title and text of each page that is new or newer.
IF OBJECT_ID(N'dbo.gwc_saved_pages') IS NULL
CREATE TABLE dbo.gwc_saved_pages (
    id BIGINT IDENTITY(1, 1) NOT NULL PRIMARY KEY,
    title NVARCHAR(MAX) NOT NULL,
    content NVARCHAR(MAX) NOT NULL,
    saved_at DATETIME2(6) NOT NULL DEFAULT SYSUTCDATETIME()
);
GO
CREATE OR ALTER PROCEDURE dbo.gwc_page_add @title NVARCHAR(MAX), @content NVARCHAR(MAX) AS
INSERT INTO dbo.gwc_saved_pages (title, content) VALUES (@title, @content);
GO
CREATE OR ALTER PROCEDURE dbo.gwc_page_find @title NVARCHAR(MAX) AS
SELECT id AS id, title AS title, content AS content, saved_at AS saved_at
FROM dbo.gwc_saved_pages WHERE title = @title ORDER BY id;
GO
CREATE OR ALTER PROCEDURE dbo.gwc_page_change @id BIGINT, @title NVARCHAR(MAX), @content NVARCHAR(MAX) AS
UPDATE dbo.gwc_saved_pages SET title = @title, content = @content, saved_at = SYSUTCDATETIME() WHERE id = @id;
GO
CREATE OR ALTER PROCEDURE dbo.gwc_page_remove @id BIGINT AS
DELETE FROM dbo.gwc_saved_pages WHERE id = @id;
GO
