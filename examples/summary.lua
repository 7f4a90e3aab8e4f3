-- What is in a file of numbers: lua summary.lua numbers.txt [separator]
-- Try it:  seq 1 1000000 | ./dev lua examples/summary.lua -
local fastio = require "fastio"

local path, separator = arg[1] or "-", arg[2]
local column, message, _, info = fastio.read_floats(path, {sep = separator, null_values = {"", "NA"}, comment = "#"})
if not column then
  io.stderr:write(message, "\n")
  os.exit(info.status == "os_error" and 2 or 1)
end

print(("%d numbers, %d missing"):format(#column - column.null_count, column.null_count))
if column:min() then
  print(("from %.17g to %.17g, mean %.17g"):format(column:min(), column:max(), column:mean()))
end
