-- Which worker owns which parts (GWC_QUEUE_LEASE): it alone leases their URLs, until it gives them up or says nothing more.

local function parts_in(blob, first)
  return ipairs({string.byte(blob, first or 1, #blob)})
end

-- The parts of worker *me*, those of others, and how many workers there are; the silent are forgotten.
local function owners(me)
  local mine, taken, workers, rows = '', {}, 1, call('HGETALL', OWNERS)
  for i = 1, #rows, 2 do
    local over, at = struct.unpack('<d', rows[i + 1])
    if over <= NOW then
      call('HDEL', OWNERS, rows[i])
    elseif rows[i] == me then
      mine = string.sub(rows[i + 1], at)
    else
      workers = workers + 1
      for _, part in parts_in(rows[i + 1], at) do taken[part] = true end
    end
  end
  return mine, taken, workers
end

-- The parts in which URLs wait, and how many these are.
local function waiting_parts()
  local waiting, count, rows = {}, 0, call('HGETALL', PARTS)
  for i = 1, #rows, 2 do
    if tonumber(rows[i + 1]) > 0 then waiting[tonumber(rows[i])], count = true, count + 1 end
  end
  return waiting, count
end

-- Of the parts that nobody owns those that have something to give: the one whose turn it is first.
local function free_parts(waiting, passed)
  local free, turns = {}, {}
  for part in pairs(waiting) do
    local first = not passed[part] and call('ZRANGE', READY .. part, 0, 0, 'WITHSCORES')
    if first and first[2] then free[#free + 1], turns[part] = part, tonumber(first[2]) end
  end
  table.sort(free, function(a, b) return turns[a] < turns[b] end)
  return free
end

-- Renews what *me* owns for some seconds. It keeps what it has under way, and of what waits no more than a fair share:
-- what is over that gets nothing new and is free when nothing of it is under way. A share that is not full is filled.
-- *under_way*: a byte for each part it has leases of; *most*: how many URLs it wants: 0: just now none, so that it takes no
-- more parts; less: none any more, so that it keeps what is under way alone. Returns the parts to lease from.
local function own(me, seconds, under_way, most)
  flush()  -- how many URLs wait is told by PARTS
  local mine, passed, workers = owners(me)
  local waiting, count = waiting_parts()
  local room, is_mine, is_busy, kept, open = most < 0 and 0 or math.ceil(count / workers), {}, {}, {}, {}
  for _, part in parts_in(mine) do is_mine[part] = true end
  for _, part in parts_in(under_way) do is_busy[part] = true end
  local function keep(part)
    local over_share = waiting[part] and room == 0
    if passed[part] or not is_mine[part] or (over_share or not waiting[part]) and not is_busy[part] then return end
    passed[part], kept[#kept + 1] = true, part
    if not over_share then open[#open + 1] = part end
    if waiting[part] and not over_share then room = room - 1 end
  end
  for _, part in parts_in(under_way .. mine) do keep(part) end
  for _, part in ipairs(most > 0 and room > 0 and free_parts(waiting, passed) or {}) do
    if #kept < MOST_PARTS and room > 0 then
      kept[#kept + 1], open[#open + 1], room = part, part, room - 1
    end
  end
  call('HSET', OWNERS, me, struct.pack('<d', NOW + seconds) .. string.char(unpack(kept)))
  return open
end
