-- Puts a site's new entry in the place of the one it was decided on; nothing happens if that has changed meanwhile.
-- KEYS: entries (hash, site → JSON), want (sorted set, by need), until (sorted set, by the next lease that runs out).
-- ARGS: site; old: its entry ('' for none); new: the one to come ('' forgets the site); need, expires ('' for none).
-- Returns 1 if it was put there.
local site, old, new = ARGS.site, ARGS.old, ARGS.new
if (redis.call('HGET', KEYS[1], site) or '') ~= old then return 0 end
local function place(key, score)
  if new == '' or score == '' then redis.call('ZREM', key, site) else redis.call('ZADD', key, score, site) end
end
if new == '' then redis.call('HDEL', KEYS[1], site) else redis.call('HSET', KEYS[1], site, new) end
place(KEYS[2], ARGS.need)
place(KEYS[3], ARGS.expires)
return 1
