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
