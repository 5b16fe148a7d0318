-- Which of the URLs that wait is next, as frontier/order.py has it: TURN comes from there.

local function place_of(weight, turn)
  return string.format('%.0f', weight * TURN + turn)
end

local function weight_at(place)
  return floor(place / TURN)
end

-- Puts a URL into the list of a queue and weight: behind the others, or back to where it is next.
local function put_in(list, md5, back)
  return call(back and 'LPUSH' or 'RPUSH', list, md5)
end

local function take_out(list, most)
  return call('LPOP', list, most) or {}
end
