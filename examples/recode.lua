-- Text of any compression and encoding becomes text of another one; tells on standard error how many records there were.
--
--   lua recode.lua [INPUT [OUTPUT [TO [FROM]]]]        "-", or nothing, is standard input and output
--
-- The compression of INPUT is recognised, that of OUTPUT is what its name ends in (.gz, .zst, .xz, .bz2, .lz4). TO is UTF-8
-- if it is not given, FROM what a byte order mark says, else UTF-8. What is no text in FROM is an error, and then OUTPUT, if
-- it is a file, stays as it was.
-- Try it:  printf 'caf\351\n' | gzip | ./dev lua examples/recode.lua - - utf-16be latin-1 | od -c
local fastio = require "fastio"
fastio.strict(true) -- failures raise

local function recode(from, to, to_encoding, encoding)
  local lines = fastio.lines(from, {keepends = true, encoding = encoding})
  local writer, records = fastio.open(to, "w", {encoding = to_encoding, atomic = to ~= "-"}), 0
  local ok, failure = pcall(function()
    for line in lines do
      records = records + 1
      writer:write(line)
    end
  end)
  if not ok then
    if to == "-" then pcall(writer.close, writer) else writer:discard() end
    error(failure, 0)
  end
  writer:close() -- the one that tells whether everything was written
  return records
end

local ok, result = pcall(recode, arg[1] or "-", arg[2] or "-", arg[3], arg[4])
if not ok then
  local EPIPE = 32 -- the reader of our output has enough: as if SIGPIPE had ended us
  if type(result) == "table" and result.errno == EPIPE then os.exit(141) end
  io.stderr:write("recode.lua: ", tostring(result), "\n")
  os.exit(1)
end
io.stderr:write(("%d records\n"):format(result))
