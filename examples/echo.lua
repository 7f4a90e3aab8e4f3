-- Copies standard input to standard output record by record (a record is a line), and tells on standard error how many
-- there were.
-- Try it:  seq 1000000 1000009 | ./dev lua examples/echo.lua
local fastio = require "fastio"
fastio.strict(true) -- failures raise

local function echo()
  local writer, records = fastio.open("-", "w"), 0
  for line in fastio.lines("-", {keepends = true, encoding = "binary"}) do
    records = records + 1
    writer:write(line)
  end
  writer:close() -- the one that tells whether everything was written
  return records
end

local ok, result = pcall(echo)
if not ok then
  local EPIPE = 32 -- the reader of our output has enough: as if SIGPIPE had ended us
  if type(result) == "table" and result.errno == EPIPE then os.exit(141) end
  io.stderr:write("echo.lua: ", tostring(result), "\n")
  os.exit(1)
end
io.stderr:write(("%d records\n"):format(result))
