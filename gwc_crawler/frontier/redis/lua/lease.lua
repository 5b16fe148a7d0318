-- Takes back leases that ran out, wakes what waited for its time, and gives out the best URLs.
-- ARGS: most: how many; owner; lease_seconds; max_lost: after how many lost leases a URL is given up; parts: how many
-- there are; queue_lease: seconds for which the worker owns what it is given, 0 where nobody owns parts; under_way: a byte for
-- each part that it has leases of; run_id: of the server that was greeted; limits: JSON, name of a LIMIT_KIND → pages at
-- most, or '' for none. The rest: hosts of which nothing is wanted. With most 0 or less it gives nothing, and owns on: see `own`.
-- Returns rows of md5, URL, weight, depth, attempts, token, meta, part; how many leases were taken back; the server's run_id;
-- what a limit has cut off, as its place in LIMIT_KINDS and URL; the parts that the worker may lease from, as bytes. A server
-- that was started since gives nothing: it may have to be told first what it has lost.

local n, max_lost = tonumber(ARGS.most), tonumber(ARGS.max_lost)

-- Suspects come back in ever smaller groups, those with the fewest losses first: `groups` in losses.py.
local function wait_in_groups(suspects)
  table.sort(suspects, function(a, b)
    if a.lost == b.lost then return a.place < b.place end
    return a.lost < b.lost
  end)
  local due, room = NOW, 0
  for _, e in ipairs(suspects) do
    local share = 1 / math.max(1, floor(SUSPECT_GROUP / 2 ^ (e.lost - SUSPECT_AFTER_LOSSES)))
    if room + share > 1 then due, room = due + SUSPECT_SPACING_SECONDS, 0 end
    room = room + share
    wait(e, due)
  end
end

-- Takes back the leases that ran out without a word. The rule of losses.py: a death among many convicts nobody.
local function lose()
  local over, tokens = call('ZRANGEBYSCORE', UNTIL, '-inf', ARGS.now, 'LIMIT', 0, 1000), {}
  for _, md5 in ipairs(over) do
    tokens[md5] = lease_of(md5) or 0
    forget_covers(tokens[md5])
  end
  table.sort(over, function(a, b) return tokens[a] < tokens[b] end)
  local most, peers, suspects = 0, {}, {}
  for place, md5 in ipairs(over) do
    local e = touch(entry(md5))
    e.lost, e.place = e.lost + 1, place
    peers[e.lost] = (peers[e.lost] or 0) + 1
    most = math.max(most, e.lost)
  end
  for place = #over, 1, -1 do
    local e = entry(over[place])
    if e.lost >= max_lost and e.lost == most and peers[most] == 1 then
      give_up(e, string.format(LEASES_LOST, max_lost))
    elseif e.lost >= SUSPECT_AFTER_LOSSES then
      suspects[#suspects + 1] = e
    else
      wait(e, nil, nil, true)
    end
  end
  wait_in_groups(suspects)
  return #over
end

local function wake()
  for _, md5 in ipairs(call('ZRANGEBYSCORE', LATER, '-inf', ARGS.now, 'LIMIT', 0, 1000)) do
    call('ZREM', LATER, md5)
    push(load(entry(md5)))
  end
  for _, queue in ipairs(call('ZRANGEBYSCORE', RESTS, '-inf', ARGS.now)) do
    call('ZREM', RESTS, queue)
    offered[tonumber(queue)] = nil
    offer_best(tonumber(queue))
  end
end

local some_metas = call('HLEN', METAS) > 0
local rows, deadline = {}, string.format('%.17g', NOW + ARGS.lease_seconds)

local function grant(e)
  set_state(e, R)
  touch(e)
  -- a server that lost its last second gives no token twice
  e.attempts, V.token = e.attempts + 1, math.max(V.token, floor(NOW * 1e6)) + 1
  call('HSET', LEASED, e.md5, struct.pack('<d', V.token) .. ARGS.owner)
  call('ZADD', UNTIL, deadline, e.md5)
  local meta = some_metas and call('HGET', METAS, e.md5) or ''
  rows[#rows + 1] = {e.md5, e.url, e.weight, e.depth, e.attempts, V.token, meta, e.queue % MOST_PARTS}
end

local server = run_id()
if ARGS.run_id ~= server then return {{}, 0, server, {}, ''} end

local lost = lose()
V.lost = V.lost + lost
wake()

-- Queues that nothing is wanted of. They stay where they are: a host may have very many, and to take each out and put it
-- back would hold everybody up.
local passed_over = {}
for i = REST, #ARGV do
  for _, queue in ipairs(queues_of(ARGV[i])) do passed_over[queue] = true end
end

-- The first two of each part that it may lease from: which queue is next, and whether another has the same weight to give.
local heads = {}
local MOST_AT_ONCE = 128
local before = {}  -- part → how many of its turns come first and are passed over: nothing moves to a place before them

local function look(part)
  local head, at, count = nil, before[part] or 0, 2
  before[part] = at
  repeat
    local ready = call('ZRANGE', READY .. part, at, at + count - 1, 'WITHSCORES')
    for i = 1, #ready, 2 do
      local queue = tonumber(ready[i])
      if passed_over[queue] then
        if not head then before[part] = before[part] + 1 end
      elseif head then
        head.second = tonumber(ready[i + 1])
        break
      else
        head = {queue = queue, score = tonumber(ready[i + 1])}
      end
    end
    local over = #ready < 2 * count
    at, count = at + count, math.min(2 * count, MOST_AT_ONCE)
  until over or (head and head.second)
  heads[part] = head
end

local open, lasts = {}, tonumber(ARGS.queue_lease)
if lasts > 0 then
  open = own(ARGS.owner, lasts, ARGS.under_way, n)
else
  for part = 0, tonumber(ARGS.parts) - 1 do open[#open + 1] = part end
end
local later = call('ZCARD', LATER)
if V.U > later then  -- else nothing is to be given out, and an idle worker asks often
  for _, part in ipairs(open) do look(part) end
end

local function next_turn()
  local best, second
  for _, head in pairs(heads) do
    if not best or head.score < best.score then best, second = head, best and best.score end
    if best ~= head and (not second or head.score < second) then second = head.score end
    if head.second and (not second or head.second < second) then second = head.second end
  end
  if not best then return nil end
  local weight = weight_at(best.score)
  return best.queue, weight, not second or weight_at(second) ~= weight
end

-- Where a queue that has just given something of *weight* stands now.
local function turn_over(queue, weights, weight)
  if call('EXISTS', weights .. ':' .. weight) == 0 then
    call('ZREM', weights, weight)
    weight = tonumber(call('ZRANGE', weights, 0, 0)[1])
  end
  if weight then
    V.turn = V.turn + 1
    call('ZADD', ready_of(queue), place_of(weight, V.turn), queue)
  else
    call('ZREM', ready_of(queue), queue)
  end
  look(queue % MOST_PARTS)
end

-- The rule of admission/page_limits.py: a page counts once; what may be over a limit waits, what is over is cut off.
local limits, limited = {}, ARGS.limits ~= ''
local cut, pages, running, site_is_full = {}, {}, nil, false
if limited then
  local most = cjson.decode(ARGS.limits)
  for place, kind in ipairs(LIMIT_KINDS) do
    if most[kind.name] then
      limits[#limits + 1] = {place = place, most = most[kind.name], setting = kind.setting, name_of = COUNTED_WITH[kind.name]}
    end
  end
end

local function pages_of(name)
  pages[name] = pages[name] or tonumber(call('HGET', PAGES, name)) or 0
  return pages[name]
end

local function run(e)
  for _, limit in ipairs(limits) do
    local name = limit.name_of(e)
    running[name] = (running[name] or 0) + 1
  end
end

-- Counts what is under way, the first time that a limit is near.
local function running_of(name)
  if not running then
    running = {}
    for _, md5 in ipairs(call('HKEYS', LEASED)) do
      local e = load(entry(md5))
      if e.kind == 0 then run(e) end
    end
  end
  return running[name] or 0
end

-- The limit against a URL, and whether it is reached for good: `limit_against`.
local function against(e)
  if not limited or e.kind ~= 0 then return nil end
  for _, limit in ipairs(limits) do
    if pages_of(limit.name_of(e)) >= limit.most then return limit, true end
  end
  local all = call('HLEN', LEASED)
  for _, limit in ipairs(limits) do
    local name = limit.name_of(e)
    if pages_of(name) + all >= limit.most and pages_of(name) + running_of(name) >= limit.most then return limit, false end
  end
  return nil
end

-- Leases a URL, cuts it off, or puts it back into its queue; says whether the queue has to wait.
local function give_out(e)
  local limit, for_good = against(e)
  if not limit then
    grant(e)
    if running and e.kind == 0 then run(e) end
  elseif for_good then
    local name = limit.name_of(e)
    give_up(e, string.format(OVER_TEXT, limit.most, name == '' and WHOLE_SITE or name, limit.setting))
    cut[#cut + 1], cut[#cut + 2] = limit.place, e.url
  else
    push(load(e), true)
    site_is_full = site_is_full or limit.name_of(e) == ''
    return true
  end
end

while #rows < n and #cut < 2 * CUT_AT_ONCE and not site_is_full do
  local queue, weight, alone = next_turn()
  if not queue then break end
  local weights, waits = QUEUE .. ':queue:' .. queue, false
  for _, md5 in ipairs(take_out(weights .. ':' .. weight, alone and not limited and n - #rows or 1)) do
    local e = entry(md5)  -- it may have moved to another weight or state since it was put here: then it is passed over
    if e.state == U and e.weight == weight and not (later > 0 and call('ZSCORE', LATER, md5)) then waits = give_out(e) end
  end
  turn_over(queue, weights, weight)
  if waits then
    passed_over[queue] = true
    look(queue % MOST_PARTS)
  end
end
flush()
return {rows, lost, server, cut, string.char(unpack(open))}
