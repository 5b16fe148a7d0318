-- Takes back leases that ran out, wakes what waited for its time, and gives out the best URLs.
-- ARGV[4]: how many; ARGV[5]: owner; ARGV[6]: lease seconds; ARGV[7]: after how many lost leases a URL is given up;
-- ARGV[8…]: hosts of which nothing is wanted.
-- Returns rows of md5, URL, weight, depth, attempts, token, meta; then how many leases were taken back.

local SUSPECT_AFTER_LOSSES, SUSPECT_SPACING_SECONDS = 2, 0.5  -- the rule of UrlStates.lose (states.py)
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

local rows, deadline = {}, string.format('%.17g', NOW + seconds)

local function grant(e)
  set_state(e, R)
  touch(e)
  e.attempts, V.token = e.attempts + 1, V.token + 1
  call('HSET', LEASED, e.md5, struct.pack('<d', V.token) .. owner)
  call('ZADD', UNTIL, deadline, e.md5)
  local meta = call('HGET', METAS, e.md5) or ''
  rows[#rows + 1] = {e.md5, e.url, e.weight, e.depth, e.attempts, V.token, meta}
end

local lost = lose()
wake()

local passed_over = {}
for i = 8, #ARGV do
  local queue = call('HGET', HOSTS, ARGV[i])
  local score = queue and call('ZSCORE', TURNS, queue)
  if score then
    passed_over[queue] = score
    call('ZREM', TURNS, queue)
  end
end

local some_later = call('ZCARD', LATER) > 0
while #rows < n do
  local top = call('ZRANGE', TURNS, 0, 1, 'WITHSCORES')
  if not top[1] then break end
  local queue, weight = tonumber(top[1]), floor(top[2] / TURN)
  local alone = not top[3] or floor(top[4] / TURN) ~= weight
  local weights = QUEUE .. ':queue:' .. queue
  call('ZREM', TURNS, queue)
  offered[queue] = nil
  for _, md5 in ipairs(call('LPOP', weights .. ':' .. weight, alone and n - #rows or 1) or {}) do
    local e = entry(md5)  -- it may have moved to another weight or state since it was put here: then it is passed over
    if e.state == U and e.weight == weight and not (some_later and call('ZSCORE', LATER, md5)) then grant(e) end
  end
  if call('EXISTS', weights .. ':' .. weight) == 0 then call('ZREM', weights, weight) end
  offer_best(queue)
end
for queue, score in pairs(passed_over) do call('ZADD', TURNS, score, queue) end
seen(owner, 0)
flush()
return {rows, lost}
