-- What one host (or address) may be asked, by all workers together. Stands alone: no script of the frontier is before it.
--
-- KEYS[1]: prefix of the hosts' keys. ARGS: now, or '' for this server's clock; worker; permit_seconds, by which its permits
-- outlive its last word. The rest: JSON, what it tells and asks of one host each. The numbers that host_rules.py goes by,
-- too, are constants: `LUA` in shared_hosts.py.
-- Returns JSON: an answer for each host. Only spans of time go in and out, so nobody's clock matters but this one.
--
-- A host without gaps between its requests gives permits for requests under way, which a worker uses again and again; a
-- host with gaps gives leave for one request at a time (`take`), in the order in which the workers asked.

local call, floor, max, min = redis.call, math.floor, math.max, math.min
local WORKER = ARGS.worker
local NOW = tonumber(ARGS.now)
if not NOW then
  local time = call('TIME')
  NOW = time[1] + time[2] / 1e6
end

local LONG_AGO = -1e9
local INTEREST_SECONDS = 1.5   -- so long a worker without permits counts as one that wants some
local HOLD_SECONDS = 1         -- so long a permit stays with a worker where there are fewer permits than workers
local LATE_SECONDS = 0.25      -- so late a worker may come to the turn it was promised
local FULL_SECONDS = 0.1       -- when to ask again while others use all that is allowed
local TOLERANCE = 1e-6

-- A clock that was put back: what was to last for a while lasts for that while from now on.
local function shift(host, seconds)
  for _, name in ipairs({'sent', 'rest', 'failed'}) do host[name] = host[name] + seconds end
  for _, worker in pairs(host.workers) do
    worker.ends, worker.served = worker.ends + seconds, worker.served + seconds
    worker.slot = worker.slot and worker.slot + seconds
  end
end

local function read(key)
  local raw = call('GET', key)
  local host = raw and cmsgpack.unpack(raw) or {sent = LONG_AGO, drawn = 0, crawl = 0, penalty = 0, rest = LONG_AGO,
    failing = false, failed = LONG_AGO, workers = {}}
  if host.at and host.at > NOW then shift(host, NOW - host.at) end
  host.at, host.faults = NOW, host.faults or 0
  return host
end

local function back_off(host, limits, sent, retry_after, longest)
  if sent >= host.failed then
    host.penalty = max(host.penalty, min(max(2 * host.penalty, limits.back_off), longest))
    host.failed, host.failing = NOW, true
  end
  host.rest = max(host.rest, NOW + min(max(host.penalty, retry_after), limits.longest))
end

-- The rule of `adapted_delay` in host_rules.py.
local function adapted(pace, latency, limits, good)
  local target = latency / limits.target
  local new = max(target, (pace + target) / 2)
  new = min(max(new, limits.delay), max(limits.most, limits.delay))
  return (good or new > pace) and new or pace
end

local function hear(host, limits, answers)
  for _, answer in ipairs(answers) do
    local kind, sent, latency, retry_after = answer[1], NOW - answer[2], answer[3], answer[4]
    if kind == SIGNAL.ABSENT then
      host.penalty, host.rest, host.failing, host.failed, host.faults = 0, LONG_AGO, false, LONG_AGO, 0
    elseif kind == SIGNAL.FAULT then
      host.faults = host.faults + 1
    elseif kind ~= SIGNAL.BAD then
      host.faults = 0
    end
    if kind == SIGNAL.BAD or host.faults >= FAULTS_IN_A_ROW then
      back_off(host, limits, sent, retry_after, kind == SIGNAL.BAD and limits.longest or limits.longest_fault)
    elseif sent >= host.failed - TOLERANCE then
      if kind ~= SIGNAL.FAULT then
        host.failing = false
        host.penalty = host.penalty * RECOVERY
        if host.penalty < NO_PENALTY_SECONDS then host.penalty = 0 end
      end
      if limits.adaptive then host.pace = adapted(host.pace, latency, limits, kind == SIGNAL.GOOD) end
    end
  end
end

-- How many permits others hold, and whether one of them wants more.
local function of_others(host)
  local held, unmet = 0, false
  for name, other in pairs(host.workers) do
    if name ~= WORKER then
      held = held + other.permits
      unmet = unmet or other.want > other.permits
    end
  end
  return held, unmet
end

local function ranked(host, rank)
  local names = {}
  for name, worker in pairs(host.workers) do
    if worker.want > 0 then names[#names + 1] = name end
  end
  table.sort(names, function(a, b)
    local one, other = rank(host.workers[a]), rank(host.workers[b])
    if one == other then return a < b end
    return one < other
  end)
  return names
end

local function by_want(worker) return worker.want end

local function by_waiting(worker)
  if worker.permits == 0 then return worker.served end
  return NOW - worker.served < HOLD_SECONDS and LONG_AGO or NOW
end

-- This worker's fair share: nobody gets more than is wanted, and what one leaves goes to the others.
local function share(host, allowed)
  local names = ranked(host, by_want)
  if #names > allowed then
    names = ranked(host, by_waiting)
    for place = 1, allowed do
      if names[place] == WORKER then return 1 end
    end
    return 0
  end
  local left = allowed
  for place, name in ipairs(names) do
    local part = min(host.workers[name].want, floor(left / (#names - place + 1)))
    if name == WORKER then return part end
    left = left - part
  end
  return 0
end

-- How many may be under way at this worker from now on. What is under way counts as held until it has ended.
local function give_permits(host, me, ask, allowed)
  local held, unmet = of_others(host)
  me.want = ask.want
  local wanted = unmet and min(ask.want, share(host, allowed)) or ask.want
  local usable = max(0, min(wanted, allowed - held))
  local permits = max(ask.active, usable)
  if (permits > 0) ~= (me.permits > 0) then me.served = NOW end
  me.permits, me.slot = permits, nil
  return usable
end

-- Leave for one request now, or not yet; and the seconds to the next one, or to the turn that is promised.
local function take(host, me, ask, allowed, free_at, step)
  local held = of_others(host)
  if held + ask.under_way + 1 > allowed then return false, FULL_SECONDS end
  local slot = me.slot and me.slot + LATE_SECONDS > NOW and me.slot or NOW
  if slot == NOW then
    for name, other in pairs(host.workers) do
      if name ~= WORKER and other.slot and other.slot + LATE_SECONDS > NOW then slot = max(slot, other.slot + step) end
    end
  end
  slot = max(slot, free_at)
  if slot <= NOW + TOLERANCE then
    host.sent, host.drawn = NOW, host.pace * ask.factor
    me.permits, me.slot = ask.under_way + 1, nil
    return true, max(host.drawn, host.crawl, host.penalty)
  end
  me.slot = slot
  return false, slot - NOW
end

local function exchange(ask)
  local key, limits = KEYS[1] .. ':' .. ask.key, ask.limits
  local host = read(key)
  for name, worker in pairs(host.workers) do
    if worker.ends <= NOW then host.workers[name] = nil end
  end
  local me = host.workers[WORKER] or {served = 0, want = 0}
  host.workers[WORKER] = me
  me.permits = me.permits or 0

  local pace = max(limits.delay, limits.adaptive and limits.start or 0)
  host.pace = limits.adaptive and host.pace or pace
  if ask.crawl > 0 then host.crawl = min(ask.crawl, limits.longest) end
  host.sent = max(host.sent, NOW - ask.left)
  hear(host, limits, ask.answers)

  local allowed = host.failing and 1 or limits.concurrency
  local gap = max(host.drawn, host.crawl, host.penalty)
  local step = max(host.pace, gap)
  local free_at = max(host.sent + gap, host.rest)
  local granted, wait, usable = false, max(0, free_at - NOW), 0
  if step > 0 then
    me.want, me.permits = 0, ask.under_way
    if ask.take then
      granted, wait = take(host, me, ask, allowed, free_at, step)
      gap = max(host.drawn, host.crawl, host.penalty)
    end
  else
    usable = give_permits(host, me, ask, allowed)
    granted = ask.take and ask.active <= usable
  end

  me.ends = NOW + (me.permits > 0 and ARGS.permit_seconds or INTEREST_SECONDS)
  if me.slot then me.ends = max(me.ends, me.slot + LATE_SECONDS) end
  local sharers = 0
  for _, worker in pairs(host.workers) do
    if worker.want > 0 or worker.permits > 0 or worker.slot then sharers = sharers + 1 end
  end
  if me.permits == 0 and me.want == 0 and not me.slot then host.workers[WORKER] = nil end
  call('SET', key, cmsgpack.pack(host), 'EX', KEPT_SECONDS + floor(max(0, host.rest - NOW)))
  return {permits = usable, held = me.permits, granted = granted, wait = wait, gap = gap, step = step, failing = host.failing,
    penalty = host.penalty, faults = host.faults, sharers = max(1, sharers)}
end

local answers = {}
for place = REST, #ARGV do answers[#answers + 1] = exchange(cjson.decode(ARGV[place])) end
return cjson.encode(answers)
