"""Review what was learned: what was left out, what is doubtful, what one more sample settles.

In: the pre-crawl's pages and the finished knowledge. Out: plain data for the report, and warnings."""
