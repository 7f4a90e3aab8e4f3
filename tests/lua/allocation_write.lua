-- Everything that writes once, for allocation.c: see allocation.lua.
collectgarbage("stop")
local fastio = require "fastio"

local function call(f, ...)
  local results = {pcall(f, ...)}
  if not results[1] and tostring(results[2]):find("not enough memory", 1, true) then error(results[2], 0) end
  return results[1], results[2], results[3]
end

-- The result of something that can only fail for want of memory.
local function must(value, message)
  if value == nil then assert(message:find("memory", 1, true), message) error("not enough memory", 0) end
  return value
end

local path = os.tmpname()
local w = must(fastio.open(path, "w", {buffer_size = 100}))
must(w:write("a", 1, 0.5))
must(w:print(nil, true, setmetatable({}, {__fastio_print = function(_, out) out:write("own") end}), {}))
must(w:write_int(255, fastio.integer(16, {width = 300})))
must(w:write_ints({1, fastio.null, "3"}, {null = "NA", sep = ",", format = fastio.integer {locale = {group = "."}}}))
must(w:write_floats({{1, 2}, {3, 4}}, {format = fastio.fixed(2), threads = 1}))
must(w:write_lines({"x", "y"}, {eol = "\r\n"}))
local lines = must(fastio.read_lines(fastio.data("p\nq\nr")))
must(w:write_lines(lines:slice(2)))
local i = 0
must(w:write_lines(function() i = i + 1 if i < 3 then return "l" .. i end end))
must(w:close())
must(fastio.write_csv(path, {{1, "a,b", 0.5, true}, {2, nil, fastio.null, false}, {3, 4, 5, 6}},
                      {names = {"i", "s", "f", "b"}, format = {f = fastio.fixed(1)}, atomic = true}))
local t = must(fastio.read_csv(path, {dictionary = {"s"}}))
must(fastio.write_csv(path, {a = t.i, b = {"x", "y", "z"}}, {names = {"a", "b"}}))
local memory = fastio.writer()
must(memory:write_csv(t:slice(2), {names = {"p", "q", "r", "s"}, quoting = "all"}))
must(memory:write_csv(must(fastio.open_csv(path, {batch_rows = 2}))))
assert(#must(memory:value()) > 10)
memory:redirect(fastio.writer(), function() must(memory:write("aside")) end)
must(memory:redirect(path))
must(memory:redirect(nil))
memory:close()

local got = {}
local object = {write = function(_, text) got[#got + 1] = text end, flush = function() end}
must(fastio.write_ints(object, {1, 2, 3}, {progress = function() end}))
must(fastio.copy(path, object))
must(fastio.copy({read = function() return nil end}, path))
assert(table.concat(got) == "1 2 3\n")
local value, message = fastio.write_lines({write = function() return nil, "torn" end}, {"a"})
assert(value == nil and (message:find("torn") or message:find("memory")))
local ok, err = call(fastio.write_lines, {write = function() error("mine") end}, {"a"})
assert(not ok and err:find("mine"))
got = {}
must(fastio.write_lines(object, {"x"}, {compression = "gzip", encoding = "utf-16", level = 1}))
local archive = fastio.data(table.concat(got))
assert(must(fastio.read_lines(archive))[1] == "x")
must(fastio.write_lines(path, {"y"}, {compression = "gzip", atomic = true}))
must(fastio.copy(path, object, {source_compression = "auto", source_encoding = "utf-8", encoding = "utf-16be"}))
assert(got[#got] == "\0y\0\n")
ok, err = call(fastio.write_lines, {write = function() error("mine") end}, {"a"}, {compression = "gzip"})
assert(not ok and err:find("mine"))
value, message = fastio.open("/no/such/file", "w")
assert(value == nil and (message:find("/no/such") or message:find("memory")))

assert(fastio.format(0.5, fastio.scientific(3, {width = 500, locale = {point = ","}})):find("5,000e-01", 1, true))
assert(fastio.concat(1, {}, "x", 0.5):find("x0.5", 1, true))
local Own = {__fastio_scan = function(_, reader) return reader:read_token() end}
local reader = must(fastio.open(fastio.data("1 0.5 own rest\nx")))
local a, b, c = reader:scan("int", "float", Own)
assert(a == 1 and b == 0.5 and c == "own")
assert(reader:redirect(fastio.data("7"), function() return reader:read_int() end) == 7)
value, message = reader:fail("no good")
assert(value == nil and (message:find("no good") or message:find("memory")))
assert(fastio.stdout:write("") and fastio.stderr and fastio.log)
os.remove(path)
