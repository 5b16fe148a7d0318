-- Gives out nothing of a host before a time; a later time wins. ARGS: place: of the host's own queue; time: until when.

local resting = queues_of(string.match(ARGS.place, '[^ ]*$'))
if not resting[1] then resting = {queue_of(ARGS.place)} end
for _, queue in ipairs(resting) do
  local rest = tonumber(call('ZSCORE', RESTS, queue))
  if not rest or rest < tonumber(ARGS.time) then call('ZADD', RESTS, ARGS.time, queue) end
  call('ZREM', ready_of(queue), queue)
end
flush()
return 1
