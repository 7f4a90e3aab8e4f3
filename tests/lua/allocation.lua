-- Every kind of object and callback once, for allocation.c. Errors other than of memory are faults: asserts let them out.
-- A finalizer that Lua runs between two allocations fails like any other call, and Lua does not call it again: what it
-- would have freed stays. That is none of the module's doing, so they run in the end, when there is memory.
collectgarbage("stop")
local fastio = require "fastio"

-- Lua's own out-of-memory error must come through; a caught one is raised again.
local function call(f, ...)
  local results = {pcall(f, ...)}
  if not results[1] and tostring(results[2]):find("not enough memory", 1, true) then error(results[2], 0) end
  return results[1], results[2], results[3]
end

local data = fastio.data("1 2 3\n4 5 6\n")
local column = assert(fastio.read_ints(data, {dtype = "int32", shape = {-1, 3}, threads = 1}))
assert(column:sum() == 21 and column.shape[1] == 2 and #column:slice(2):totable() == 5)
for _, value in column:iter() do assert(value) end
local nulls = assert(fastio.read_floats(fastio.data("1,,x"), {sep = ",", null_values = {"", "x"}}))
assert(nulls.null_count == 2 and nulls:totable()[2] == fastio.null)
local lines = assert(fastio.read_lines(data))
assert(lines[1] == "1 2 3" and tostring(lines))
for line in fastio.lines("/etc/hostname") do assert(line) end
for value in fastio.ints(data) do assert(value) end
local reader = assert(fastio.open("/etc/passwd"))
assert(reader:read_token() and reader:read_line())
for token in reader:tokens() do assert(token) break end
reader:close()
local file = assert(io.open("/etc/passwd"))
assert(fastio.count_lines(file) > 0)
file:close()
local map = assert(fastio.load("/etc/passwd"))
assert(map:sub(1, 10) and map:find(":") and fastio.count_lines(map) > 0)
map:close()
assert(#assert(fastio.read_bytes("/etc/passwd")) > 0)

local csv = fastio.data('a,b,c\n1,"x\ny",2024-01-01\n,z,\n3,x\n')
local options = {dialect = {sep = ","}, dtype = {a = "int64", ["*"] = "string", c = "date"}, null_values = {a = {"", "NA"}},
                 dictionary = {"b"}, usecols = {"a", 2, "c"}, on_ragged = function(fields)
                   return {fields[1], fields[2], ""}
                 end}
local t = assert(fastio.read_csv(csv, options))
assert(#t == 3 and t.a:sum() == 4 and t.b.dictionary[2] == "z" and tostring(t):find("2024", 1, true))
for row in t:slice(2):rows("a", "b") do assert(row.b) end
for i, a, b in t:iter() do assert(i and b and (a or i == 2)) end
assert(select("#", t:row(1)) == 3 and t[3].b == "x" and t:report().replaced == 1 and t:dtypes().c == "date")
local batches = assert(fastio.open_csv("/etc/passwd", {sep = ":", header = false, batch_rows = 5}))
assert(#batches:names() == 7 and batches:count() > 0 and #batches:slice(-1) == 1)
for batch in batches:batches() do assert(#batch > 0) end
assert(assert(fastio.sniff(fastio.data("a;b\n1;2\n3;4\n"), {on_ragged = "pad"})).sep == ";")
assert(#assert(fastio.partition(csv, 2)) > 0)
local none, why = fastio.read_csv(csv)
assert(none == nil and (why:find("ragged") or why:find("field") or why:find("memory")))

local calls = 0
local object = {read = function() calls = calls + 1 if calls < 4 then return calls .. " " end end}
local read = assert(fastio.read_ints(object, {progress = function() return true end}))
assert(read:sum() == 6)
local value, message = fastio.read_ints({read = function() return nil, "torn " .. calls end})
assert(value == nil and (message:find("torn") or message:find("memory")))
local ok, err = call(fastio.read_ints, {read = function() error("mine" .. calls) end})
assert(not ok and err:find("mine"))

value, message = fastio.read_ints(fastio.data("1 2 x3"))
assert(value == nil and message:find("x3"))
value, message = fastio.load("/no/such")
assert(value == nil and message:find("/no/such"))
ok, err = call(function() for _ in fastio.ints(fastio.data("1 x")) do end end)
assert(not ok and tostring(err):find("x"))
ok, err = call(fastio.read_ints, data, {unknown = 1})
assert(not ok and err:find("unknown"))

-- several sources, compressed and encoded ones
local function object_of(text)
  return {read = function(self) self.read = function() end return text end}
end
local archive = fastio.data("\31\139\8\0\0\0\0\0\2\255\51\84\48\226\50\230\2\0\125\99\46\252\6\0\0\0") -- "1 2\n3\n"
local wide = fastio.data("\255\254a\0\n\0005\0\n\0")
local matrix = assert(fastio.read_ints({archive, object_of("4 5 6"), "/dev/null"}, {shape = {-1, 3}}))
assert(matrix:at(2, 3) == 6 and matrix.decode_errors == 0)
assert(fastio.count_lines({archive, wide, "/etc/hostname"}) == 5)
assert(assert(fastio.read_lines({wide, fastio.data("\255")}, {errors = "replace"})).decode_errors == 1)
local sources = {wide, fastio.data("a\n1\n"), object_of("a\n2\n"), object_of("a\n3\n")}
local file_of_all = assert(fastio.read_csv(sources, {file_column = "from", progress = function() end}))
assert(#file_of_all == 4 and file_of_all.from[2] == "<source 2>" and file_of_all:decode_errors() == 0)
sources = {wide, archive, object_of("a\n2\n")}
local all = assert(fastio.open_csv(sources, {file_column = "from", names = {"a"}, header = false, sep = "\t", dtype = "string"}))
local seen = 0
for batch in all:batches() do seen = seen + #batch assert(batch.from[1]) end
assert(seen == 6 and all:decode_errors() == 0)
none, why = fastio.read_csv({wide, fastio.data("b\n1\n")})
assert(none == nil and (why:find("first source") or why:find("memory")))
none, why = fastio.read_ints({archive, fastio.data("x")})
assert(none == nil and (why:find("x") or why:find("memory")))
none, why = fastio.read_ints(fastio.data("\31\139\8\0\0\0\0\0\2\255\51\84"))
assert(none == nil and why)
ok, err = call(fastio.read_csv, {archive, {read = function() error("mine" .. calls) end}})
assert(not ok and err:find("mine"))
local two = assert(fastio.open_csv({fastio.data("a\n1\n"), fastio.data("b\n1\n")}))
assert(#two:next() == 1)
none, why = two:next()
assert(none == nil and (why:find("first source") or why:find("memory")))
two:close()
local missing = assert(fastio.open_csv({fastio.data("a\n1\n"), "/no/such"}))
assert(#missing:next() == 1)
none, why = missing:next()
assert(none == nil and (why:find("/no/such") or why:find("memory")))
missing:close()
assert(#assert(fastio.glob("/etc/pass*d")) >= 1)
assert(not fastio.transcode or fastio.transcode("a", "utf-8", "utf-16le") == "a\0") -- of SWIG, which need not be there
