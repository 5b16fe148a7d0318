-- Moves of a URL between its states, and the leases that allow them.

local function unlease(e)
  call('HDEL', LEASED, e.md5)
  call('ZREM', UNTIL, e.md5)
end

-- The host of a URL whose text is there.
local function host_of(e)
  return string.match(load(e).url or '', '^%a+://([^/]*)') or ''
end

-- What a page counts with for each of LIMIT_KINDS: `counted_with` in admission/page_limits.py.
local COUNTED_WITH = {
  site = function() return '' end,
  host = host_of,
}

local function finish(e, kind, weight)
  if e.kind == 0 and kind ~= REDIRECT then
    for _, limit in ipairs(LIMIT_KINDS) do call('HINCRBY', PAGES, COUNTED_WITH[limit.name](e), 1) end
  end
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

-- Writes down a link that robots.txt keeps out; the least of several ways counts.
local function note_refused(url, weight, depth)
  local kept = call('HGET', REFUSED, url)
  if kept then
    local its_weight, its_depth = struct.unpack(WAY_ROW, kept)
    weight, depth = math.min(weight, its_weight), math.min(depth, its_depth)
  end
  call('HSET', REFUSED, url, struct.pack(WAY_ROW, weight, depth))
end

local function keep_out(e)
  set_state(e, SEEN)
  touch(e).attempts = math.max(e.attempts - 1, 0)
  unlease(e)
  call('HDEL', REASONS, e.md5)
  note_refused(e.url, math.min(e.weight, MOST_WEIGHT), e.depth)
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
