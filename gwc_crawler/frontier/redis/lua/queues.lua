-- Where waiting URLs stand: queues, each of one host and one part, in it a list for each weight; and how a URL that is
-- new gets there.

local queues = {}

-- All queues of a host.
local function queues_of(host)
  local found = {tonumber(call('HGET', HOSTS, host))}
  local others = call('GET', OTHERS .. host) or ''
  for at = 1, #others, 4 do found[#found + 1] = struct.unpack('<I4', others, at) end
  return found
end

-- One of a host's queues, if it has any; however many it has.
local function some_queue_of(host)
  local own, others = tonumber(call('HGET', HOSTS, host)), call('GETRANGE', OTHERS .. host, 0, 3)
  return own or (others ~= '' and struct.unpack('<I4', others)) or nil
end

-- A queue rests as long as the others of its host do.
local function make_queue(part, name)
  local host = string.match(name, '[^ ]*$')
  local sibling = some_queue_of(host)
  V.queues = V.queues + 1  -- a queue's number is a multiple of MOST_PARTS, plus its part
  local queue = V.queues * MOST_PARTS + part
  call('HSET', HOSTS, name, queue)
  if name ~= host then call('APPEND', OTHERS .. host, struct.pack('<I4', queue)) end
  local rest = sibling and call('ZSCORE', RESTS, sibling)
  if rest then call('ZADD', RESTS, rest, queue) end
  return queue
end

-- The number of a queue, given its place: "PART NAME".
local function queue_of(place)
  local queue = queues[place]
  if not queue then
    local part, name = string.match(place, '^(%d+) (.*)$')
    queue = tonumber(call('HGET', HOSTS, name)) or make_queue(tonumber(part), name)
    queues[place] = queue
  end
  return queue
end

local function ready_of(queue)
  return READY .. queue % MOST_PARTS
end

local offered = {}

-- Tells the ready queues that *queue* has something of *weight* to give.
local function offer(queue, weight)
  if offered[queue] and offered[queue] <= weight then return end
  offered[queue] = weight
  if call('ZSCORE', RESTS, queue) then return end
  local ready = ready_of(queue)
  local score = tonumber(call('ZSCORE', ready, queue))
  if score and weight_at(score) <= weight then return end
  V.turn = V.turn + 1
  call('ZADD', ready, place_of(weight, V.turn), queue)
end

local function offer_best(queue)
  local best = call('ZRANGE', QUEUE .. ':queue:' .. queue, 0, 0)
  if best[1] then offer(queue, tonumber(best[1])) end
end

local function push(e, back)
  local weights = QUEUE .. ':queue:' .. e.queue
  if put_in(weights .. ':' .. e.weight, e.md5, back) == 1 then
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
    e.attempts, e.lost, e.added, e.done, e.queue, e.parent = 0, 0, floor(NOW), 0, queue_of(text.place), ''
    e.url = text.url
    V.known = V.known + 1
    V.N = V.N + 1
  end
  return e
end

-- Reads a blob of (TEXT_ROW, URL); the places of their queues are the arguments from *first* on, counted from 0.
local function read_texts(blob, first)
  local at = 1
  while at <= #blob do
    local md5, place, length
    md5, place, length, at = struct.unpack(TEXT_ROW, blob, at)
    given[md5] = {place = ARGV[first + place], url = string.sub(blob, at, at + length - 1)}
    at = at + length
  end
end
