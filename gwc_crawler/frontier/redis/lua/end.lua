-- Ends leases without a page; returns how many held no more, for extend the places of those (from 1).
-- ARGV[4]: release | wait | error | keep_out | extend | cover; ARGV[5]: reason; ARGV[6]: time (until when, or not before);
-- ARGV[7]: blob of (md5, token) for each lease. For cover: ARGV[8]: owner, ARGV[9]: place, ARGV[10]: URL, ARGV[11]: md5;
-- returns 1 if the lease covers the URL now. For error: ARGV[8]: what is kept for looking at the leased URL again, or ''.
-- keep_out is error, but what was never fetched, and is no start, becomes a link that robots.txt keeps out.

local how, reason, time = ARGV[4], ARGV[5], tonumber(ARGV[6])
local refused, late, at, place = 0, {}, 1, 0
while at <= #ARGV[7] do
  local md5, token
  md5, token, at = struct.unpack('<c8d', ARGV[7], at)
  place = place + 1
  local under = held_by(md5, token)
  if not under then
    refused = refused + 1
    late[refused] = place
  elseif how == 'cover' then
    given[ARGV[11]] = {place = ARGV[9], url = ARGV[10]}
    local weight, depth = best_of(under)
    if not cover(under[1], token, ARGV[8], weight, depth, ARGV[11]) then refused = 1 end
  elseif how == 'extend' then
    for _, e in ipairs(under) do call('ZADD', UNTIL, ARGV[6], e.md5) end
  else
    forget_covers(token)
    for place = #under, 1, -1 do
      local e = touch(under[place])
      if how == 'keep_out' and #under == 1 and e.depth > 0 and e.kind == 0 and e.url then
        keep_out(e)
      elseif how == 'error' or how == 'keep_out' then
        give_up(e, reason)
        if place == 1 and how == 'error' and ARGV[8] ~= '' then call('HSET', REVISITS, e.md5, ARGV[8]) end
      elseif how == 'release' then
        e.attempts = math.max(e.attempts - 1, 0)
        wait(e, nil, nil, true)
      else
        wait(e, time, reason)
      end
    end
  end
end
flush()
return how == 'extend' and late or refused
