-- Moves URLs by hand, or with a changed threshold; returns how many were moved.
-- ARGS: how: drop | retry | enter | hold | due | all | errors; keys: blob of md5s; states: letters of those that retry may
-- take from. For the last three, which let pages be looked at again: first_interval, least_interval in seconds;
-- fetched_before: when a page was fetched that this round has not looked at.

local how = ARGS.how
local looks_again = how == 'due' or how == 'all' or how == 'errors'
local chosen, moved = {}, 0

-- Whether a page is to be looked at again; the rule of revisit_table.py. Where nothing is kept of a page (a redirect, or
-- nothing was kept), it is due a first interval after it was fetched.
local function is_asked_for(e)
  if e.state ~= C and e.state ~= E then return false end
  local reason = e.state == E and call('HGET', REASONS, e.md5) or ''
  if reason == DROPPED then return false end
  if how == 'errors' then
    return reason ~= '' and string.sub(reason, 1, #LIMIT) ~= LIMIT and load(e).done < floor(ARGS.fetched_before)
  end
  local kept, checked, due = call('HGET', REVISITS, e.md5), nil, nil
  if kept then
    checked, due = struct.unpack(REVISIT_ROW, kept)
  elseif e.state == C then
    checked, due = load(e).done, load(e).done + ARGS.first_interval
  else
    return false
  end
  if how == 'due' then return due <= NOW or ((e.depth == 0 or e.kind == SITEMAP) and checked + ARGS.least_interval <= NOW) end
  if kept and e.state == C then return checked < tonumber(ARGS.fetched_before) end
  return load(e).done < floor(ARGS.fetched_before)
end

for at = 1, #ARGS.keys, 8 do
  local e = entry(string.sub(ARGS.keys, at, at + 7))
  if not looks_again or (is_asked_for(e) and load(e).url) then chosen[#chosen + 1] = e end
end

local recalled = {}
for _, e in ipairs(chosen) do
  if e.state == C then recalled[e] = arrival_weight(e) end
end

local arrivals = new_arrivals()
for _, e in ipairs(chosen) do
  local letter = letter_of(e)
  if how == 'drop' and e.state == U then
    give_up(e, DROPPED)
    moved = moved + 1
  elseif how == 'retry' and e.state ~= R and e.state ~= SEEN and string.find(ARGS.states, letter, 1, true) and load(e).url then
    touch(e)
    e.attempts, e.lost, e.weight = 0, 0, recalled[e] or e.weight
    call('ZREM', LATER, e.md5)
    if recalled[e] then call('HDEL', REVISITS, e.md5) end
    wait(e)
    moved = moved + 1
  elseif looks_again then
    touch(e)
    e.attempts, e.lost, e.weight = 0, 0, recalled[e] or e.weight
    call('HDEL', REASONS, e.md5)
    wait(e)
    moved = moved + 1
  elseif how == 'enter' and e.state == C and followed(e.weight) then
    enter_held(arrivals, e)
  elseif how == 'hold' and e.state == U and e.depth > 0 and not followed(e.weight) then
    set_state(e, SEEN)
    call('ZREM', LATER, e.md5)
    moved = moved + 1
  end
end
moved = moved + take(arrivals)
flush()
return moved
