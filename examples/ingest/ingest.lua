-- Ten million integers in Lua: ingest.lua METHOD FILE prints the count and the sum. Lua has no wall clock, so the
-- caller takes the time of the whole process.
local method, path = ...

if method == "fastio" or method == "fastio1" then
  local fastio = require "fastio"
  local column = assert(fastio.read_ints(path, { threads = method == "fastio1" and 1 or nil }))
  print(#column, string.format("%.0f", column:sum()))
else
  local format = (_VERSION == "Lua 5.1" or _VERSION == "Lua 5.2") and "*n" or "n"
  local file = assert(io.open(path))
  local values, sum = {}, 0
  for value in function() return file:read(format) end do
    values[#values + 1] = value
    sum = sum + value
  end
  print(#values, string.format("%.0f", sum))
end
