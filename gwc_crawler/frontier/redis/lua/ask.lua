-- Answers questions; changes nothing. ARGS: what: counts | parts | hosts | urls | server; for counts and parts parts: how
-- many there are; for hosts the rest: hosts; for urls keys: blob of md5s, with_way: 1 for the way.

local function counts()
  local due, rest = call('ZRANGE', LATER, 0, 0, 'WITHSCORES'), call('ZRANGE', RESTS, 0, 0, 'WITHSCORES')
  local ready = 0
  if V.U > call('ZCARD', LATER) then  -- else nothing is to be given out
    for part = 0, tonumber(ARGS.parts) - 1 do ready = ready + call('ZCARD', READY .. part) end
  end
  return {V.U, V.R, V.C, V.E, V.N, ready, due[2] or '', rest[2] or '', V.known, V.buckets, call('TIME')}
end

local function parts()
  local waiting = {}
  for part = 1, tonumber(ARGS.parts) do waiting[part] = tonumber(call('HGET', PARTS, part - 1)) or 0 end
  return waiting
end

-- How many of the URLs that have a place in a list wait there: one that moved up or away leaves its place behind.
local function waiting_in(list, weight, counted)
  local waiting = 0
  for _, md5 in ipairs(call('LRANGE', list, 0, -1)) do
    local e = entry(md5)
    if e.state == U and e.weight == weight and not counted[md5] and not call('ZSCORE', LATER, md5) then
      counted[md5], waiting = true, waiting + 1
    end
  end
  return waiting
end

-- How many URLs of some hosts could be given out now; beyond so many it is their places that are counted.
local MOST_COUNTED = 20000

local function waiting_of()
  local waiting, counted = 0, {}
  for i = REST, #ARGV do
    for _, queue in ipairs(queues_of(ARGV[i])) do
      local weights = QUEUE .. ':queue:' .. queue
      for _, weight in ipairs(call('ZRANGE', weights, 0, -1)) do
        local list = weights .. ':' .. weight
        local places = call('LLEN', list)
        local few = waiting + places <= MOST_COUNTED
        waiting = waiting + (few and waiting_in(list, tonumber(weight), counted) or places)
      end
    end
  end
  return waiting
end

-- From a start to the page before, as URL, weight, URL, weight, …
local function way_to(e)
  local way, passed = {}, {}
  local parent = load(e).parent
  while parent ~= '' and parent ~= NO_PARENT and not passed[parent] do
    passed[parent] = true
    local page = load(entry(parent))
    if not page.url then break end
    table.insert(way, 1, page.weight)
    table.insert(way, 1, page.url)
    parent = page.parent
  end
  return way
end

local function url_row(md5, with_way)
  local e = load(entry(md5))
  if not e.known then return {} end
  local _, owner = lease_of(md5)
  return {letter_of(e), e.kind, e.weight, e.depth, e.attempts, e.lost, call('HGET', REASONS, md5) or '', owner or '',
    call('ZSCORE', UNTIL, md5) or '', call('ZSCORE', LATER, md5) or '', e.added, e.done, e.url or '',
    with_way and way_to(e) or {}}
end

if ARGS.what == 'counts' then return counts() end
if ARGS.what == 'parts' then return parts() end
if ARGS.what == 'server' then return run_id() end
if ARGS.what == 'hosts' then return waiting_of() end
local rows = {}
for at = 1, #ARGS.keys, 8 do rows[#rows + 1] = url_row(string.sub(ARGS.keys, at, at + 7), ARGS.with_way == '1') end
return rows
