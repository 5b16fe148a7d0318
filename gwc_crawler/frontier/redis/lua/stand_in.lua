-- Returns 1 if a page is read in the place of the URL that it names as its canonical one: that is in error, never gave a
-- page, and no other was the first to name it. ARGS: alias, main: their md5s.

local main = entry(ARGS.main)
if main.state == E and main.kind == 0 then call('HSETNX', ALIASES, main.md5, ARGS.alias) end
return stand_in_for(main) == ARGS.alias and 1 or 0
