"""Pages and records in a SQL Server or PostgreSQL: batches are safe on disk at once, and on the server soon."""
