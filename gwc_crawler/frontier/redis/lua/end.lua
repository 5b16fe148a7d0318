-- Ends leases without a page; returns how many held no more, for extend the places of those (from 1).
-- ARGS: how: release | wait | error | cut_off | keep_out | extend; leases: blob of LEASE_ROW; reason; time: the end of the
-- lease, or not before when; revisit: for error, what is kept for looking at the leased URL again, or ''.
-- After an error the page that stands in for the URL waits again; cut_off is error without that. keep_out is cut_off, but
-- what was never fetched, and is no start, becomes a link that robots.txt keeps out.

local how = ARGS.how

local function end_one(e, is_leased, is_alone)
  if how == 'keep_out' and is_alone and e.depth > 0 and e.kind == 0 and e.url then
    keep_out(e)
  elseif how == 'error' or how == 'cut_off' or how == 'keep_out' then
    give_up(e, ARGS.reason)
    if is_leased and how == 'error' and ARGS.revisit ~= '' then call('HSET', REVISITS, e.md5, ARGS.revisit) end
  elseif how == 'release' then
    e.attempts = math.max(e.attempts - 1, 0)
    wait(e, nil, nil, true)
  else
    wait(e, tonumber(ARGS.time), ARGS.reason)
  end
end

local outdated, late, at, place = 0, {}, 1, 0
while at <= #ARGS.leases do
  local md5, token
  md5, token, at = struct.unpack(LEASE_ROW, ARGS.leases, at)
  place = place + 1
  local under = held_by(md5, token)
  if not under then
    outdated = outdated + 1
    late[outdated] = place
  elseif how == 'extend' then
    for _, e in ipairs(under) do call('ZADD', UNTIL, ARGS.time, e.md5) end
  else
    forget_covers(token)
    for place = #under, 1, -1 do end_one(touch(under[place]), place == 1, #under == 1) end
    for _, e in ipairs(how == 'error' and under or {}) do recall_alias(e) end
  end
end
flush()
return how == 'extend' and late or outdated
