-- The ways found to URLs: how a page that completes hands its weight on, and what is entered of its links.

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

-- Whether a better way to a completed page could still be found: a redirect of weight 0 may turn out to be a start's.
local function may_improve(weight, kind, depth)
  return weight > 0 or (kind == REDIRECT and depth > 0)
end

-- Where a start URL leads to is a start, too: a redirect of no better weight hands that on.
local function improve_page(e, way, passed_on)
  local start = way.depth == 0
  local better = start and e.kind ~= REDIRECT and 0 or improved(e.weight, e.kind, way.weight)
  local hands_start_on = start and e.kind == REDIRECT and e.depth > 0
  if better >= e.weight and not hands_start_on then return end
  e.weight, e.depth = better, math.min(e.depth, way.depth)
  touch(e).parent = way.parent or ''
  if followed(better) then enter_held(passed_on, e) end
  if not may_improve(better, e.kind, e.depth) then call('HDEL', HELD, e.md5) end
end

-- Enters all arrivals, round by round until no improvement is left to pass on; returns how many URLs are new, and the
-- md5s that a worker takes for known and Redis does not know (it has lost its last second, say): their text is asked for;
-- then a blob of (md5 of the page that brought it, md5) for each new URL.
local function take(arrivals)
  local new, unknown, brought = 0, {}, {}
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
        brought[new] = (way.parent or NO_PARENT) .. e.md5
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
  return new, unknown, table.concat(brought)
end

-- The best of the ways to one page by any of its addresses.
local function best_of(under)
  local weight, depth = under[1].weight, under[1].depth
  for _, e in ipairs(under) do
    weight, depth = math.min(weight, e.weight), math.min(depth, e.depth)
  end
  return weight, depth
end

-- Puts *target* under a lease; returns the best way to it, or nil if it is complete, another's, or dropped.
local function cover(e, token, owner, weight, depth, target)
  local t = entry_for(target)
  if t.state ~= SEEN then weight, depth = math.min(weight, t.weight), math.min(depth, t.depth) end
  if t.state == R and lease_of(target) == token then return weight, depth end
  if t.state == C or t.state == R or (t.state == E and call('HGET', REASONS, target) == DROPPED) then return nil end
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

-- The weight a completed page was reached with, as its parent page tells it.
local function arrival_weight(e)
  local parent = load(e).parent ~= '' and e.parent ~= NO_PARENT and entry(e.parent)
  if parent and parent.state == C then return parent.weight end
  return e.kind == REDIRECT and e.weight or math.max(e.weight - 1, 0)
end

-- The md5 of the first page that names a URL as its canonical one, where that is in error and never gave a page.
local function stand_in_for(main)
  return main.state == E and main.kind == 0 and call('HGET', ALIASES, main.md5) or nil
end

-- Lets that page wait again, as if for the first time, to be read in the place of the other.
local function recall_alias(main)
  local md5 = stand_in_for(main)
  local alias = md5 and entry(md5)
  if not alias or alias.state ~= C or alias.kind ~= ALIAS or not load(alias).url then return end
  touch(alias)
  alias.attempts, alias.lost, alias.weight = 0, 0, arrival_weight(alias)
  call('HDEL', REVISITS, alias.md5)
  wait(alias)
end
