-- Where waiting URLs stand: one queue for each host, in it a list for each weight; and how a URL that is new gets there.

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
