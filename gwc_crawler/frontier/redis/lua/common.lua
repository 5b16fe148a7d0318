-- What every script of RedisFrontier stands on: names of keys, counts, the known URLs, one URL's entry. After it come
-- order.lua, queues.lua, owners.lua, states.lua, ways.lua, then the script itself. Before it stand the constants that Python
-- shares, and the arguments by name (`LUA` in wire.py): ARGS; what has no name begins at ARGV[REST].
--
-- KEYS[1], KEYS[2]: the queue and the dedup part of one site; all names begin with one of them and so share its hash tag.
-- ARGS of all scripts: now (epoch seconds), max_weight (-1: none), keeps_texts: 1 if completed URLs keep their text.
-- A URL is named by the first 8 bytes of its MD5. All effects of a script happen at once: Redis runs one at a time.

local call, floor = redis.call, math.floor
local QUEUE, KNOWN = KEYS[1], KEYS[2]
local NOW, MAX_WEIGHT, KEEP_TEXTS = tonumber(ARGS.now), tonumber(ARGS.max_weight), ARGS.keeps_texts == '1'

local VALUES = QUEUE .. ':values'     -- hash: counts by state, last token, leases lost so far, …
local TEXTS = QUEUE .. ':urls'        -- hash: md5 → attempts, lost, times, queue, parent, URL
local HELD = QUEUE .. ':held'         -- hash: md5 of a page whose weight may fall → md5s of its links
local LATER = QUEUE .. ':later'       -- sorted set: md5 of a waiting URL → not before
local RESTS = QUEUE .. ':rests'       -- sorted set: queue → its host gives nothing before
local READY = QUEUE .. ':turns:'      -- and part: sorted set: queue → best weight, then who waited longest
local PARTS = QUEUE .. ':parts'       -- hash: part → how many URLs wait
local OWNERS = QUEUE .. ':owners'     -- hash: worker → until when it owns parts, and these, a byte each
local UNTIL = QUEUE .. ':until'       -- sorted set: md5 of a leased URL → end of the lease
local LEASED = QUEUE .. ':leased'     -- hash: md5 of a leased URL → token and owner
local COVERS = QUEUE .. ':covers'     -- hash: token → md5s of URLs that the leased one redirected to, in order
local REASONS = QUEUE .. ':reasons'   -- hash: md5 → why it failed
local REFUSED = QUEUE .. ':refused'   -- hash: URL that robots.txt keeps out → weight and depth (forbidden_links.py)
local HOSTS = QUEUE .. ':hosts'       -- hash: name of a queue ("HOST" or "KEY HOST") → queue
local OTHERS = QUEUE .. ':others:'    -- and host: string: its queues called "KEY HOST", 4 bytes each
local REVISITS = QUEUE .. ':revisits' -- hash: md5 of a fetched page → checked at, due at, … (revisits.py)
local PAGES = QUEUE .. ':pages'       -- hash: host → pages that were fetched, each once; '' stands for all hosts
local ALIASES = QUEUE .. ':aliases'   -- hash: md5 of a URL that pages name as canonical → md5 of the first of them
local METAS = QUEUE .. ':metas'       -- hash: md5 of a start → JSON for its Request.meta

local SEEN, U, R, C, E = 0, 1, 2, 3, 4  -- in the order of STATES, the letters by which Python knows them
local function letter_of(e) return STATES[e.state + 1] end
local MAX_DEPTH = 4095
local BUCKET_LOAD = 44                -- URLs in a bucket on average; the fullest stay below 128, a listpack in any Redis

-- The server's name for this run of it: another one after each start.
local function run_id() return string.match(call('INFO', 'server'), 'run_id:(%x+)') end

-- --- values: a few numbers, read once, written once -----------------------------------------------------------------

local NAMES = {'token', 'turn', 'queues', 'known', 'buckets', 'lost', unpack(STATES)}
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
      e.attempts, e.lost, e.added, e.done, e.queue, e.parent, at = struct.unpack(STORED_ROW, raw)
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
local part_changes = {}

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
        local head = struct.pack(STORED_ROW, math.min(e.attempts, 65535), math.min(e.lost, 65535), e.added, e.done,
          e.queue, parent)
        call('HSET', TEXTS, e.md5, head .. e.url)
      end
    end
  end
  entries, order = {}, {}
  for part, change in pairs(part_changes) do call('HINCRBY', PARTS, part, change) end
  part_changes = {}
  for _, name in ipairs(NAMES) do
    if V[name] ~= stored[name] then
      call('HSET', VALUES, name, string.format('%.0f', V[name]))
      stored[name] = V[name]
    end
  end
end

local function set_state(e, state)
  local change = (state == U and 1 or 0) - (e.state == U and 1 or 0)
  if change ~= 0 then
    local part = load(e).queue % MOST_PARTS
    part_changes[part] = (part_changes[part] or 0) + change
  end
  V[letter_of(e)] = V[letter_of(e)] - 1
  e.state = state
  V[letter_of(e)] = V[letter_of(e)] + 1
end
