-- The sum of every numeric column of a CSV stream, in bounded memory.
--
--   lua column_sums.lua [INPUT [SEPARATOR]]        "-", or nothing, is standard input
--
-- Types come from the first batch; a later number that does not fit its column is an error, and says where.
-- Try it:  printf 'item,price,count\nnut,0.25,3\nbolt,0.5,4\n' | ./dev lua examples/column_sums.lua
local fastio = require "fastio"
fastio.strict(true) -- failures raise

local function sum(path, separator)
  local reader = fastio.open_csv(path, {sep = separator})
  local names, dtypes = reader:names(), reader:dtypes()
  local rows, sums = 0, {}
  for batch in reader:batches() do
    rows = rows + #batch
    for _, name in ipairs(names) do
      if dtypes[name] == "int64" or dtypes[name] == "float64" then
        sums[name] = (sums[name] or 0) + batch:column(name):sum()
      end
    end
  end
  return names, dtypes, rows, sums
end

local function print_sums(names, dtypes, rows, sums)
  local writer = fastio.open("-", "w")
  writer:write(rows, " rows\n")
  for _, name in ipairs(names) do
    if sums[name] then
      writer:write(name, ": ")
      if dtypes[name] == "int64" then writer:write_int(sums[name]) else writer:write_float(sums[name]) end
      writer:write("\n")
    end
  end
  writer:close() -- the one that tells whether everything was written
end

local ok, failure = pcall(function() print_sums(sum(arg[1] or "-", arg[2])) end)
if not ok then
  local EPIPE = 32 -- the reader of our output has enough: as if SIGPIPE had ended us
  if type(failure) == "table" and failure.errno == EPIPE then os.exit(141) end
  io.stderr:write("column_sums.lua: ", tostring(failure), "\n")
  os.exit(1)
end
