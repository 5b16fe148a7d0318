-- Puts the URL that a leased one redirects to under its lease; returns 1 if it is covered now.
-- ARGS: lease: LEASE_ROW; owner; place, url, key: of the other URL.

local md5, token = struct.unpack(LEASE_ROW, ARGS.lease)
local under, covered = held_by(md5, token), false
if under then
  given[ARGS.key] = {place = ARGS.place, url = ARGS.url}
  local weight, depth = best_of(under)
  covered = cover(under[1], token, ARGS.owner, weight, depth, ARGS.key)
end
flush()
return covered and 1 or 0
