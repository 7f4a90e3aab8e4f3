-- Lines that end in "\r\n" become lines that end in "\n"; tells on standard error how many records there were.
--
--   lua crlf_to_lf.lua [INPUT [OUTPUT]]        "-", or nothing, is standard input and output
--
-- A "\r" anywhere else is text and stays.
-- Try it:  printf 'one\r\ntwo\r\n' | ./dev lua examples/crlf_to_lf.lua | od -c
local fastio = require "fastio"
fastio.strict(true) -- failures raise

local function convert(from, to)
  local writer, records = fastio.open(to, "w"), 0
  for line in fastio.lines(from, {keepends = true, encoding = "binary"}) do
    records = records + 1
    if line:sub(-2) == "\r\n" then line = line:sub(1, -3) .. "\n" end
    writer:write(line)
  end
  writer:close() -- the one that tells whether everything was written
  return records
end

local ok, result = pcall(convert, arg[1] or "-", arg[2] or "-")
if not ok then
  local EPIPE = 32 -- the reader of our output has enough: as if SIGPIPE had ended us
  if type(result) == "table" and result.errno == EPIPE then os.exit(141) end
  io.stderr:write("crlf_to_lf.lua: ", tostring(result), "\n")
  os.exit(1)
end
io.stderr:write(("%d records\n"):format(result))
