"""The strip engine (TagStrip): waiting pages → buffer → strippers → stripped pages, each block in one transaction."""
