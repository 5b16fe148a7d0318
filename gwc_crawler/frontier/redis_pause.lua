-- Gives out nothing of a host before a time; a later time wins. ARGV[4]: host; ARGV[5]: until.

local queue = queue_of(ARGV[4])
local rest = tonumber(call('ZSCORE', RESTS, queue))
if not rest or rest < tonumber(ARGV[5]) then call('ZADD', RESTS, ARGV[5], queue) end
call('ZREM', TURNS, queue)
flush()
return 1
