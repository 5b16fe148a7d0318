"""The dashboard's frame: who may ask for what, how a page is put together, in which language. Knows no page itself."""
