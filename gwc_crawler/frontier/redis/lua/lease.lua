-- Takes back leases that ran out, wakes what waited for its time, and gives out the best URLs.
-- ARGV[4]: how many; ARGV[5]: owner; ARGV[6]: lease seconds; ARGV[7]: after how many lost leases a URL is given up;
-- ARGV[8]: a byte for each part that is asked for; ARGV[9]: run_id of the server that was asked last ('': the first time);
-- ARGV[10], ARGV[11]: pages of the site and of each host at most (0: any); ARGV[12…]: hosts of which nothing is wanted.
-- Returns rows of md5, URL, weight, depth, attempts, token, meta; how many leases were taken back; the server's run_id; what
-- a limit has cut off, as "site" or "host" and URL. A server that was started since gives nothing: it may have to be told
-- first what it has lost.

local n, owner, seconds, max_lost = tonumber(ARGV[4]), ARGV[5], tonumber(ARGV[6]), tonumber(ARGV[7])

-- Suspects come back in ever smaller groups, those with the fewest losses first.
local function wait_in_groups(suspects)
  table.sort(suspects, function(a, b)
    if a.lost == b.lost then return a.place < b.place end
    return a.lost < b.lost
  end)
  local due, room = NOW, 0
  for _, e in ipairs(suspects) do
    local share = 1 / math.max(1, floor(8 / 2 ^ (e.lost - SUSPECT_AFTER_LOSSES)))
    if room + share > 1 then due, room = due + SUSPECT_SPACING_SECONDS, 0 end
    room = room + share
    wait(e, due)
  end
end

-- Takes back the leases that ran out without a word. A death among many convicts nobody.
local function lose()
  local over, tokens = call('ZRANGEBYSCORE', UNTIL, '-inf', ARGV[1], 'LIMIT', 0, 1000), {}
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
      give_up(e, max_lost .. ' leases lost without a word')
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
  for _, md5 in ipairs(call('ZRANGEBYSCORE', LATER, '-inf', ARGV[1], 'LIMIT', 0, 1000)) do
    call('ZREM', LATER, md5)
    push(load(entry(md5)))
  end
  for _, queue in ipairs(call('ZRANGEBYSCORE', RESTS, '-inf', ARGV[1])) do
    call('ZREM', RESTS, queue)
    offered[tonumber(queue)] = nil
    offer_best(tonumber(queue))
  end
end

local some_metas = call('HLEN', METAS) > 0
V.token = math.max(V.token, floor(NOW * 1e6))  -- a server that lost its last second gives no token twice
local rows, deadline = {}, string.format('%.17g', NOW + seconds)

local function grant(e)
  set_state(e, R)
  touch(e)
  e.attempts, V.token = e.attempts + 1, V.token + 1
  call('HSET', LEASED, e.md5, struct.pack('<d', V.token) .. owner)
  call('ZADD', UNTIL, deadline, e.md5)
  local meta = some_metas and call('HGET', METAS, e.md5) or ''
  rows[#rows + 1] = {e.md5, e.url, e.weight, e.depth, e.attempts, V.token, meta}
end

local server = string.match(call('INFO', 'server'), 'run_id:(%x+)')
if ARGV[9] ~= '' and ARGV[9] ~= server then return {{}, 0, server, {}} end

local lost = lose()
V.lost = V.lost + lost
wake()

-- Queues that nothing is wanted of. They stay where they are: a host may have very many, and to take each out and put it
-- back would hold everybody up.
local passed_over = {}
for i = 12, #ARGV do
  for _, queue in ipairs(queues_of(ARGV[i])) do passed_over[queue] = true end
end

-- The first two of each part that was asked for: which queue is next, and whether another has the same weight to give.
local heads = {}
local MOST_AT_ONCE = 128
local before = {}  -- part → how many of its turns come first and are passed over: nothing moves to a place before them

local function look(part)
  local head, at, count = nil, before[part] or 0, 2
  before[part] = at
  repeat
    local turns = call('ZRANGE', TURNS .. part, at, at + count - 1, 'WITHSCORES')
    for i = 1, #turns, 2 do
      local queue = tonumber(turns[i])
      if passed_over[queue] then
        if not head then before[part] = before[part] + 1 end
      elseif head then
        head.second = tonumber(turns[i + 1])
        break
      else
        head = {queue = queue, score = tonumber(turns[i + 1])}
      end
    end
    local over = #turns < 2 * count
    at, count = at + count, math.min(2 * count, MOST_AT_ONCE)
  until over or (head and head.second)
  heads[part] = head
end

for at = 1, #ARGV[8] do look(string.byte(ARGV[8], at)) end

local function next_turn()
  local best, second
  for _, head in pairs(heads) do
    if not best or head.score < best.score then best, second = head, best and best.score end
    if best ~= head and (not second or head.score < second) then second = head.score end
    if head.second and (not second or head.second < second) then second = head.second end
  end
  if not best then return nil end
  local weight = floor(best.score / TURN)
  return best.queue, weight, not second or floor(second / TURN) ~= weight
end

-- Where a queue that has just given something of *weight* stands now.
local function turn_over(queue, weights, weight)
  if call('EXISTS', weights .. ':' .. weight) == 0 then
    call('ZREM', weights, weight)
    weight = tonumber(call('ZRANGE', weights, 0, 0)[1])
  end
  if weight then
    V.turn = V.turn + 1
    call('ZADD', turns_of(queue), string.format('%.0f', weight * TURN + V.turn), queue)
  else
    call('ZREM', turns_of(queue), queue)
  end
  look(queue % MOST_PARTS)
end

-- The rule of Quotas (quotas.py): a page counts once; while others are fetched a queue waits, then what is over is cut off.
local CUT_AT_ONCE = 1000
local limits = {site = tonumber(ARGV[10]), host = tonumber(ARGV[11])}
local limited = limits.site > 0 or limits.host > 0
local cut, pages, running, site_is_full = {}, {}, nil, false

local function pages_of(host)
  pages[host] = pages[host] or tonumber(call('HGET', PAGES, host)) or 0
  return pages[host]
end

-- Counts what is under way by host, the first time that a limit is near.
local function running_of(host)
  if not running then
    running = {[''] = 0}
    for _, md5 in ipairs(call('HKEYS', LEASED)) do
      local e = load(entry(md5))
      if e.kind == 0 then
        local its = host_of(e)
        running[its], running[''] = (running[its] or 0) + 1, running[''] + 1
      end
    end
  end
  return running[host] or 0
end

-- Whether a URL may be leased: nil, or the limit against it and whether it is over for good.
local function against(e)
  if not limited or e.kind ~= 0 then return nil end
  local most = call('HLEN', LEASED)
  for which, host in pairs({site = '', host = host_of(e)}) do
    local limit = limits[which]
    if limit > 0 and pages_of(host) + most >= limit then
      if pages_of(host) >= limit then return which, true end
      if pages_of(host) + running_of(host) >= limit then return which, false end
    end
  end
  return nil
end

local function cut_off(e, which)
  local what = which == 'site' and 'the site (GWC_MAX_PAGES_PER_SITE)' or host_of(e) .. ' (GWC_MAX_PAGES_PER_HOST)'
  give_up(e, LIMIT .. limits[which] .. ' pages of ' .. what)
  cut[#cut + 1], cut[#cut + 2] = which, e.url
end

-- Leases a URL, cuts it off, or puts it back into its queue; says whether the queue has to wait.
local function give_out(e)
  local which, over = against(e)
  if not which then
    grant(e)
    if running and e.kind == 0 then
      local host = host_of(e)
      running[host], running[''] = (running[host] or 0) + 1, running[''] + 1
    end
  elseif over then
    cut_off(e, which)
  else
    push(e, true)
    site_is_full = which == 'site'
    return true
  end
end

local some_later = call('ZCARD', LATER) > 0
while #rows < n and #cut < 2 * CUT_AT_ONCE and not site_is_full do
  local queue, weight, alone = next_turn()
  if not queue then break end
  local weights, waits = QUEUE .. ':queue:' .. queue, false
  for _, md5 in ipairs(call('LPOP', weights .. ':' .. weight, alone and not limited and n - #rows or 1) or {}) do
    local e = entry(md5)  -- it may have moved to another weight or state since it was put here: then it is passed over
    if e.state == U and e.weight == weight and not (some_later and call('ZSCORE', LATER, md5)) then waits = give_out(e) end
  end
  turn_over(queue, weights, weight)
  if waits then
    passed_over[queue] = true
    look(queue % MOST_PARTS)
  end
end
flush()
return {rows, lost, server, cut}
