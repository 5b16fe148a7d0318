-- Tells of queues and URLs for people; changes nothing.
-- ARGV[4]: queues: ARGV[5…] are numbers of queues; for each: until when it rests ('' if it doesn't), and pairs of weight
-- and how many wait with it. | rest: until when the host ARGV[5] rests, or ''. | states: a letter for each md5 in ARGV[5].

local function queue_row(number)
  local weights = QUEUE .. ':queue:' .. number
  local row = {call('ZSCORE', RESTS, number) or ''}
  for _, weight in ipairs(call('ZRANGE', weights, 0, -1)) do
    row[#row + 1] = tonumber(weight)
    row[#row + 1] = call('LLEN', weights .. ':' .. weight)
  end
  return row
end

if ARGV[4] == 'queues' then
  local rows = {}
  for i = 5, #ARGV do rows[#rows + 1] = queue_row(ARGV[i]) end
  return rows
elseif ARGV[4] == 'rest' then
  local latest = ''
  for _, queue in ipairs(queues_of(ARGV[5])) do
    local rest = call('ZSCORE', RESTS, queue)
    if rest and (latest == '' or tonumber(rest) > tonumber(latest)) then latest = rest end
  end
  return latest
end
local letters = {}
for at = 1, #ARGV[5], 8 do letters[#letters + 1] = STATES[entry(string.sub(ARGV[5], at, at + 7)).state] end
return table.concat(letters)
