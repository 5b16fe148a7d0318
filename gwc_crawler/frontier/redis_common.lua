-- What every script of RedisFrontier stands on: names of keys, one URL's entry, counts, buckets, queues, weights.
--
-- KEYS[1], KEYS[2]: the queue and the dedup part of one site; all names begin with one of them and so share its hash tag.
-- ARGV[1]: now (epoch seconds), ARGV[2]: max_weight (-1: none), ARGV[3]: 1 if completed URLs keep their text.
-- A URL is named by the first 8 bytes of its MD5. All effects of a script happen at once: Redis runs one at a time.

local call, floor = redis.call, math.floor
local QUEUE, KNOWN = KEYS[1], KEYS[2]
local NOW, MAX_WEIGHT, KEEP_TEXTS = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3] == '1'

local VALUES = QUEUE .. ':values'     -- hash: counts by state, last token, …
local TEXTS = QUEUE .. ':urls'        -- hash: md5 → attempts, lost, times, queue, parent, URL
local HELD = QUEUE .. ':held'         -- hash: md5 of a page whose weight may fall → md5s of its links
local LATER = QUEUE .. ':later'       -- sorted set: md5 of a waiting URL → not before
local RESTS = QUEUE .. ':rests'       -- sorted set: queue → its host gives nothing before
local TURNS = QUEUE .. ':turns'       -- sorted set: queue → best weight, then who waited longest
local UNTIL = QUEUE .. ':until'       -- sorted set: md5 of a leased URL → end of the lease
local LEASED = QUEUE .. ':leased'     -- hash: md5 of a leased URL → token and owner
local COVERS = QUEUE .. ':covers'     -- hash: token → md5s of URLs that the leased one redirected to
local REASONS = QUEUE .. ':reasons'   -- hash: md5 → why it failed
local HOSTS = QUEUE .. ':hosts'       -- hash: host → queue
local WORKERS = QUEUE .. ':workers'   -- hash: owner → last seen, pages completed
local METAS = QUEUE .. ':metas'       -- hash: md5 of a start → JSON for its Request.meta

local SEEN, U, R, C, E = 0, 1, 2, 3, 4
local STATES = {[0] = 'N', 'U', 'R', 'C', 'E'}
local REDIRECT = 8                    -- its code in redis_wire.py
local MAX_DEPTH = 4095
local BUCKET_LOAD = 44                -- URLs in a bucket on average; the fullest stay below 128, a listpack in any Redis
local TURN = 4294967296

-- --- values: a few numbers, read once, written once -----------------------------------------------------------------

local NAMES = {'N', 'U', 'R', 'C', 'E', 'token', 'turn', 'queues', 'known', 'buckets'}
local V, stored = {}, {}
do
  local got = call('HMGET', VALUES, unpack(NAMES))
  for place, name in ipairs(NAMES) do
    stored[name] = tonumber(got[place]) or 0
    V[name] = stored[name]
  end
  if V.buckets == 0 then V.buckets = 1 end
end

-- --- the dedup part: md5 → one small number, in hashes that grow one by one (linear hashing) ------------------------

local function half()
  local low = 1
  while low * 2 <= V.buckets do low = low * 2 end
  return low
end

local low = half()

local function bucket_of(md5)
  local hash = struct.unpack('>I4', md5)
  local bucket = hash % (2 * low)
  if bucket >= V.buckets then bucket = hash % low end
  return KNOWN .. ':' .. bucket
end

local function grow()
  while V.known > BUCKET_LOAD * V.buckets do
    local from, to = KNOWN .. ':' .. (V.buckets - low), KNOWN .. ':' .. V.buckets
    local all, moved, gone = call('HGETALL', from), {}, {}
    for i = 1, #all, 2 do
      if struct.unpack('>I4', all[i]) % (2 * low) == V.buckets then
        moved[#moved + 1], moved[#moved + 2] = all[i], all[i + 1]
        gone[#gone + 1] = all[i]
      end
    end
    if #gone > 0 then
      call('HSET', to, unpack(moved))
      call('HDEL', from, unpack(gone))
    end
    V.buckets = V.buckets + 1
    low = half()
  end
end

-- --- entries: one URL -----------------------------------------------------------------------------------------------

local entries, order = {}, {}

local function entry(md5)
  local e = entries[md5]
  if e then return e end
  e = {md5 = md5, state = SEEN, kind = 0, weight = 0, depth = 0}
  local value = tonumber(call('HGET', bucket_of(md5), md5))
  if value then
    e.known, e.old = true, value
    e.state = value % 8
    e.kind = floor(value / 8) % 16
    e.depth = floor(value / 128) % 4096
    e.weight = floor(value / 524288)
  end
  entries[md5] = e
  order[#order + 1] = e
  return e
end

-- Reads what is kept beside the state; `url` stays nil where the text was let go.
local function load(e)
  if not e.loaded then
    e.loaded = true
    e.attempts, e.lost, e.added, e.done, e.queue, e.parent = 0, 0, 0, 0, 0, ''
    local raw = call('HGET', TEXTS, e.md5)
    if raw then
      local at
      e.attempts, e.lost, e.added, e.done, e.queue, e.parent, at = struct.unpack('<I2I2I4I4I4c8', raw)
      e.url = string.sub(raw, at)
    end
  end
  return e
end

local function touch(e)
  load(e).touched = true
  return e
end

local NO_PARENT = string.rep('\0', 8)

local function flush()
  grow()  -- before the new ones are put in: no bucket is ever overfull
  for _, e in ipairs(order) do
    if e.known then
      local value = ((e.weight * 4096 + math.min(e.depth, MAX_DEPTH)) * 16 + e.kind) * 8 + e.state
      if value ~= e.old then
        call('HSET', bucket_of(e.md5), e.md5, string.format('%.0f', value))
        if e.state == C and not KEEP_TEXTS then call('HDEL', TEXTS, e.md5) end
      end
      if e.touched and e.url and (KEEP_TEXTS or e.state ~= C) then
        local parent = e.parent == '' and NO_PARENT or e.parent
        local head = struct.pack('<I2I2I4I4I4c8', math.min(e.attempts, 65535), math.min(e.lost, 65535), e.added, e.done,
          e.queue, parent)
        call('HSET', TEXTS, e.md5, head .. e.url)
      end
    end
  end
  entries, order = {}, {}
  for _, name in ipairs(NAMES) do
    if V[name] ~= stored[name] then
      call('HSET', VALUES, name, string.format('%.0f', V[name]))
      stored[name] = V[name]
    end
  end
end

local function set_state(e, state)
  V[STATES[e.state]] = V[STATES[e.state]] - 1
  V[STATES[state]] = V[STATES[state]] + 1
  e.state = state
end

-- --- queues: one for each host; in it a list for each weight --------------------------------------------------------

local function queue_of(host)
  local queue = tonumber(call('HGET', HOSTS, host))
  if not queue then
    V.queues = V.queues + 1
    queue = V.queues
    call('HSET', HOSTS, host, queue)
  end
  return queue
end

local offered = {}

-- Tells the turns that *queue* has something of *weight* to give.
local function offer(queue, weight)
  if offered[queue] and offered[queue] <= weight then return end
  offered[queue] = weight
  if call('ZSCORE', RESTS, queue) then return end
  local score = tonumber(call('ZSCORE', TURNS, queue))
  if score and floor(score / TURN) <= weight then return end
  V.turn = V.turn + 1
  call('ZADD', TURNS, string.format('%.0f', weight * TURN + V.turn), queue)
end

local function offer_best(queue)
  local best = call('ZRANGE', QUEUE .. ':queue:' .. queue, 0, 0)
  if best[1] then offer(queue, tonumber(best[1])) end
end

local function push(e, front)
  local weights = QUEUE .. ':queue:' .. e.queue
  if call(front and 'LPUSH' or 'RPUSH', weights .. ':' .. e.weight, e.md5) == 1 then
    call('ZADD', weights, e.weight, e.weight)
  end
  offer(e.queue, e.weight)
end

-- The entry of a URL, which is made where the URL is new and its text was sent along.
local given = {}

local function entry_for(md5)
  local e = entry(md5)
  local text = given[md5]
  if text and not e.known then
    e.known, e.loaded, e.touched = true, true, true
    e.attempts, e.lost, e.added, e.done, e.queue, e.parent = 0, 0, floor(NOW), 0, queue_of(text.host), ''
    e.url = text.url
    V.known = V.known + 1
    V.N = V.N + 1
  end
  return e
end

-- Reads a blob of (md5, place of the host from 0, length, URL).
local function read_texts(blob, hosts)
  local at = 1
  while at <= #blob do
    local md5, host, length
    md5, host, length, at = struct.unpack('<c8I2I4', blob, at)
    given[md5] = {host = hosts[host + 1], url = string.sub(blob, at, at + length - 1)}
    at = at + length
  end
end

-- --- moves between states -------------------------------------------------------------------------------------------

local function unlease(e)
  call('HDEL', LEASED, e.md5)
  call('ZREM', UNTIL, e.md5)
end

local function finish(e, kind, weight)
  set_state(e, C)
  e.kind, e.weight = kind, weight
  touch(e)
  e.lost, e.done = 0, floor(NOW)
  unlease(e)
  call('HDEL', REASONS, e.md5)
end

local function give_up(e, reason)
  set_state(e, E)
  touch(e).done = floor(NOW)
  unlease(e)
  call('ZREM', LATER, e.md5)
  call('HSET', REASONS, e.md5, reason)
end

local function wait(e, due, reason, front)
  set_state(e, U)
  unlease(e)
  load(e)
  if reason and reason ~= '' then call('HSET', REASONS, e.md5, reason) end
  if due and due > NOW then
    call('ZADD', LATER, string.format('%.17g', due), e.md5)
  else
    call('ZREM', LATER, e.md5)
    push(e, front)
  end
end

-- --- leases ---------------------------------------------------------------------------------------------------------

local function lease_of(md5)
  local raw = call('HGET', LEASED, md5)
  if not raw then return nil end
  local token, at = struct.unpack('<d', raw)
  return token, string.sub(raw, at)
end

-- All that is under a lease: the leased URL first, then those it was redirected to. Nil if the lease holds no more.
local function held_by(md5, token)
  local e = entry(md5)
  if e.state ~= R or lease_of(md5) ~= token then return nil end
  local under = {e}
  local covered = call('HGET', COVERS, string.format('%.0f', token)) or ''
  for at = 1, #covered, 8 do
    local other = entry(string.sub(covered, at, at + 7))
    if other.state == R and lease_of(other.md5) == token then under[#under + 1] = other end
  end
  return under
end

local function forget_covers(token)
  call('HDEL', COVERS, string.format('%.0f', token))
end

local function seen(owner, pages)
  local old = call('HGET', WORKERS, owner)
  local total = old and tonumber(string.match(old, ' (%d+)')) or 0
  call('HSET', WORKERS, owner, string.format('%.3f %d', NOW, total + pages))
end

-- --- weights and what is passed on ----------------------------------------------------------------------------------

local function followed(weight)
  return MAX_WEIGHT < 0 or weight < MAX_WEIGHT
end

local function improved(weight, kind, arrival)
  return math.min(weight, kind == REDIRECT and arrival or arrival + 1)
end

-- The best ways found to URLs, in the order of their finding.
local function new_arrivals()
  return {ways = {}, list = {}}
end

local function arrive(arrivals, md5, weight, depth, parent)
  local best = arrivals.ways[md5]
  if not best then
    best = {md5 = md5, weight = weight, depth = depth, parent = parent}
    arrivals.ways[md5] = best
    arrivals.list[#arrivals.list + 1] = best
    return
  end
  if weight < best.weight then best.weight, best.parent = weight, parent end
  if depth < best.depth then best.depth = depth end
end

local function arrive_all(arrivals, blob, weight, depth, parent)
  for at = 1, #blob, 8 do
    arrive(arrivals, string.sub(blob, at, at + 7), weight, depth, parent)
  end
end

local function enter_held(arrivals, e)
  arrive_all(arrivals, call('HGET', HELD, e.md5) or '', e.weight, e.depth + (e.kind == REDIRECT and 0 or 1), e.md5)
end

local function improve_page(e, way, passed_on)
  local start = way.depth == 0 and e.kind ~= REDIRECT
  local better = start and 0 or improved(e.weight, e.kind, way.weight)
  if better >= e.weight then return end
  e.weight, e.depth = better, math.min(e.depth, way.depth)
  touch(e).parent = way.parent or ''
  if followed(better) then enter_held(passed_on, e) end
  if better == 0 then call('HDEL', HELD, e.md5) end
end

-- Enters all arrivals, round by round until no improvement is left to pass on; returns how many URLs are new, and the
-- md5s that a worker takes for known and Redis does not know (it has lost its last second, say): their text is asked for.
local function take(arrivals)
  local new, unknown = 0, {}
  while #arrivals.list > 0 do
    local passed_on = new_arrivals()
    for _, way in ipairs(arrivals.list) do
      local e = entry_for(way.md5)
      if not e.known then
        unknown[#unknown + 1] = e.md5
      elseif e.state == SEEN then
        touch(e)
        e.weight, e.depth, e.parent, e.added = way.weight, way.depth, way.parent or '', floor(NOW)
        set_state(e, U)
        push(e)
        new = new + 1
      elseif e.state == C then
        improve_page(e, way, passed_on)
      elseif way.weight < e.weight or way.depth < e.depth then
        local lighter = way.weight < e.weight
        e.weight, e.depth = math.min(way.weight, e.weight), math.min(way.depth, e.depth)
        if lighter then
          touch(e).parent = way.parent or ''
          if e.state == U and not call('ZSCORE', LATER, e.md5) then push(e) end
        end
      end
    end
    arrivals = passed_on
  end
  return new, unknown
end

-- The best of the ways to one page by any of its addresses.
local function best_of(under)
  local weight, depth = under[1].weight, under[1].depth
  for _, e in ipairs(under) do
    weight, depth = math.min(weight, e.weight), math.min(depth, e.depth)
  end
  return weight, depth
end

-- Puts *target* under a lease; returns the best way to it, or nil if it is complete or another's.
local function cover(e, token, owner, weight, depth, target)
  local t = entry_for(target)
  if t.state ~= SEEN then weight, depth = math.min(weight, t.weight), math.min(depth, t.depth) end
  if t.state == R and lease_of(target) == token then return weight, depth end
  if t.state == C or t.state == R then return nil end
  set_state(t, R)
  touch(t)
  t.weight, t.depth, t.attempts = weight, depth, t.attempts + 1
  if t.parent == '' or t.parent == NO_PARENT then t.parent = e.md5 end
  call('ZREM', LATER, target)
  call('HSET', LEASED, target, struct.pack('<d', token) .. owner)
  call('ZADD', UNTIL, call('ZSCORE', UNTIL, e.md5) or NOW, target)
  local key = string.format('%.0f', token)
  call('HSET', COVERS, key, (call('HGET', COVERS, key) or '') .. target)
  return weight, depth
end
