-- Enters URLs that are new, lowers the weight of known ones; returns how many were new.
-- ARGV[4]: blob of texts; ARGV[5]: blob of (md5, weight, depth); ARGV[6…]: places of the texts.

local places = {}
for i = 6, #ARGV do places[#places + 1] = ARGV[i] end
read_texts(ARGV[4], places)
local arrivals, at = new_arrivals(), 1
while at <= #ARGV[5] do
  local md5, weight, depth
  md5, weight, depth, at = struct.unpack('<c8I4I4', ARGV[5], at)
  arrive(arrivals, md5, weight, depth)
end
local new = take(arrivals)
flush()
return new
