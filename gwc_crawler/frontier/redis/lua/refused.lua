-- Writes down links that robots.txt keeps out. The rest: for each its URL and its WAY_ROW.

for i = REST, #ARGV, 2 do
  local weight, depth = struct.unpack(WAY_ROW, ARGV[i + 1])
  note_refused(ARGV[i], weight, depth)
end
return 1
