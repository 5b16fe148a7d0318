-- What T-Spider's tables have besides: whether a page is a list of links, how often a URL was fetched, why it failed.
ALTER TABLE [dbo].[pages] ADD page_kind NVARCHAR(20) COLLATE Latin1_General_100_BIN2 NULL
GO
ALTER TABLE [dbo].[urls] ADD hits INT NOT NULL DEFAULT 0
GO
ALTER TABLE [dbo].[urls] ADD reason NVARCHAR(MAX) NULL
