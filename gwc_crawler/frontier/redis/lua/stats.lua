-- Tells of queues and URLs for people; changes nothing.
-- ARGS.what: queues: the rest are numbers of queues; for each: until when it rests ('' if it doesn't), and pairs of weight
-- and how many wait with it. | rest: until when ARGS.host rests, or ''. | states: a letter for each md5 in ARGS.keys.

local function queue_row(number)
  local weights = QUEUE .. ':queue:' .. number
  local row = {call('ZSCORE', RESTS, number) or ''}
  for _, weight in ipairs(call('ZRANGE', weights, 0, -1)) do
    row[#row + 1] = tonumber(weight)
    row[#row + 1] = call('LLEN', weights .. ':' .. weight)
  end
  return row
end

if ARGS.what == 'queues' then
  local rows = {}
  for i = REST, #ARGV do rows[#rows + 1] = queue_row(ARGV[i]) end
  return rows
elseif ARGS.what == 'rest' then
  local latest = ''
  for _, queue in ipairs(queues_of(ARGS.host)) do
    local rest = call('ZSCORE', RESTS, queue)
    if rest and (latest == '' or tonumber(rest) > tonumber(latest)) then latest = rest end
  end
  return latest
end
local letters = {}
for at = 1, #ARGS.keys, 8 do letters[#letters + 1] = letter_of(entry(string.sub(ARGS.keys, at, at + 7))) end
return table.concat(letters)
