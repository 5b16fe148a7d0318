-- Gives out nothing of a host before a time; a later time wins. ARGV[4]: place of the host's own queue; ARGV[5]: until.

local resting = queues_of(string.match(ARGV[4], '[^ ]*$'))
if not resting[1] then resting = {queue_of(ARGV[4])} end
for _, queue in ipairs(resting) do
  local rest = tonumber(call('ZSCORE', RESTS, queue))
  if not rest or rest < tonumber(ARGV[5]) then call('ZADD', RESTS, ARGV[5], queue) end
  call('ZREM', turns_of(queue), queue)
end
flush()
return 1
