-- Enters URLs that are new, lowers the weight of known ones; returns how many were new.
-- ARGS: texts: blob; links: blob of LINK_ROW. The rest: places of the texts.

read_texts(ARGS.texts, REST)
local arrivals, at = new_arrivals(), 1
while at <= #ARGS.links do
  local md5, weight, depth
  md5, weight, depth, at = struct.unpack(LINK_ROW, ARGS.links, at)
  arrive(arrivals, md5, weight, depth)
end
local new = take(arrivals)
flush()
return new
