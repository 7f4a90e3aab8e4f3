-- Every kind of source gives the same bytes; what borrows stays usable.
local fastio = require "fastio"
local check = require "check"
local test, equal, raises, fails = check.test, check.equal, check.raises, check.fails

local text = "1 22\n333\n-4444\n"
local path = check.file(text)

-- An object whose read gives pieces of `size` bytes, whatever is asked for.
local function pieces(data, size)
  local at = 1
  return {read = function(_, wanted)
    equal(type(wanted), "number")
    local piece = data:sub(at, at + size - 1)
    at = at + size
    return piece
  end}
end

-- The number of the descriptor of a new file with the text in it, and the file, which keeps it open.
local opened = {}
local function descriptor()
  local name = check.file(text)
  local file = assert(io.open(name))
  opened[#opened + 1] = file
  local list = assert(io.popen("find /proc/" .. check.pid() .. "/fd -lname '" .. name .. "'"))
  local fd = assert(tonumber(list:read("*a"):match("(%d+)%s*$")))
  list:close()
  return fd, file
end

local makers = {
  path = function() return path end,
  data = function() return fastio.data(text) end,
  file = function() return assert(io.open(path)) end,
  pipe = function() return assert(io.popen("cat " .. path)) end,
  map = function() return assert(fastio.load(path)) end,
  bytes = function() return assert(fastio.read_bytes(path)) end,
  fd = function() return (descriptor()) end,
}
for _, size in ipairs {1, 3, 100} do
  makers["object, pieces of " .. size] = function() return pieces(text, size) end
end

for name, make in pairs(makers) do
  test("source: " .. name, function()
    local function open() return (make()) end
    equal(assert(fastio.read_ints(open())):totable(), {1, 22, 333, -4444})
    equal(assert(fastio.read_floats(open())):totable(), {1.0, 22.0, 333.0, -4444.0})
    equal(assert(fastio.read_lines(open())):totable(), {"1 22", "333", "-4444"})
    equal(assert(fastio.read_bytes(open())):sub(), text)
    equal(fastio.count_lines(open()), 3)
    local seen = {}
    for line in fastio.lines(open()) do seen[#seen + 1] = line end
    equal(seen, {"1 22", "333", "-4444"})
    seen = {}
    for value in fastio.ints(open()) do seen[#seen + 1] = value end
    equal(seen, {1, 22, 333, -4444})
    local reader = assert(fastio.open(open()))
    equal(reader:read_int(), 1)
    equal(reader:read_token(), "22")
    equal(reader:read_line(), "")
    equal(reader:read_line(), "333")
    equal(reader:offset(), 9)
    equal(reader:read_float(), -4444.0)
    equal(reader:read_int(), nil)
  end)
end

test("a file is read from where it is, and stays open", function()
  local file = assert(io.open(path))
  file:read("*l")
  equal(assert(fastio.read_ints(file)):totable(), {333, -4444})
  equal(io.type(file), "file")
  equal(file:seek("set"), 0)
  equal(assert(fastio.read_ints(file)):sum(), 1 + 22 + 333 - 4444)
  file:close()
end)

test("a descriptor stays open", function()
  local fd, file = descriptor()
  equal(assert(fastio.read_ints(fd)):sum(), 1 + 22 + 333 - 4444)
  equal(file:seek("set"), 0)
  equal(assert(fastio.count_lines(fd)), 3)
  file:close()
  fails(9, "<fd " .. fd .. ">", fastio.read_ints(fd))
end)

test("a closed file", function()
  local file = assert(io.open(path))
  file:close()
  raises("closed", fastio.read_ints, file)
  file = assert(io.open(path))
  local reader = assert(fastio.open(file, {block_size = 1}))
  equal(reader:read_int(), 1)
  file:close()
  raises("closed", reader.read_int, reader)
  reader:close()
  file = assert(io.open(path))
  local step = fastio.lines(file, {block_size = 1})
  equal(step(), "1 22")
  file:close()
  raises("closed", function() for _ = 1, 9 do step() end end)
end)

test("a file closed by the progress function", function()
  local file = assert(io.open(path))
  raises("closed", fastio.read_ints, file, {progress = function() if io.type(file) == "file" then file:close() end end})
end)

test("data stays alive while it is read", function()
  local step = fastio.lines(fastio.data(("x"):rep(50) .. tostring(os.time()) .. "\nsecond " .. tostring(os.time())))
  collectgarbage() collectgarbage()
  check.truthy(step():find("^x+%d+$"))
  collectgarbage() collectgarbage()
  check.truthy(step():find("^second %d+$"))
  equal(step(), nil)
end)

test("an object's end and its failures", function()
  equal(#assert(fastio.read_ints({read = function() end})), 0)
  equal(#assert(fastio.read_ints({read = function() return "" end})), 0)
  local info = fails(104, "reset by peer", fastio.read_ints({read = function() return nil, "reset by peer", 104 end}))
  equal(info.status, "callback_failed")
  fails("callback_failed", "just so", fastio.read_lines({read = function() return nil, "just so" end}))
  local thrown = {}
  local ok, err = pcall(fastio.read_ints, {read = function() error(thrown) end})
  equal(ok, false)
  check.truthy(err == thrown, "the very same error value")
  raises("returned a number", fastio.read_ints, {read = function() return 5 end})
  raises("returned a table", fastio.read_ints, {read = function() return {} end})
  local callable = setmetatable({}, {__call = function(_, object, n) return nil end})
  equal(#assert(fastio.read_ints({read = callable})), 0)
end)

test("an object with more than was asked for", function()
  local big, given = ("123456789 "):rep(200000), false
  local object = {read = function() if not given then given = true return big end end}
  equal(assert(fastio.read_ints(object, {block_size = 64})):sum(), 123456789 * 200000)
end)

test("an object's failure after values", function()
  local calls = 0
  local function make()
    calls = 0
    return {read = function()
      calls = calls + 1
      if calls <= 2 then return calls .. " " end
      return nil, "torn", 5
    end}
  end
  fails(5, "torn", fastio.read_ints(make()))
  local seen = {}
  local ok, err = pcall(function() for v in fastio.ints(make()) do seen[#seen + 1] = v end end)
  equal(ok, false)
  equal(err.errno, 5)
  equal(seen, {1, 2})
  local reader = assert(fastio.open(make()))
  equal(reader:read_int(), 1)
  equal(reader:read_int(), 2)
  fails(5, "torn", reader:read_int())
end)

test("an object can't use the reader that called it", function()
  local reader
  local object = {read = function() return reader:read_token() end}
  reader = assert(fastio.open(object))
  raises("in use", reader.read_token, reader)
  object.read = function() reader:close() end
  raises("in use", reader.read_token, reader)
  object.read = function(self) self.read = function() end return "77 " end
  equal(reader:read_int(), 77)
  reader:close()
end)

test("a callback can't yield through the core", function()
  local co = coroutine.create(function() return fastio.read_ints({read = function() coroutine.yield() end}) end)
  local ok, message = coroutine.resume(co)
  equal(ok, false)
  check.truthy(tostring(message):find("yield"), tostring(message))
end)

test("a reader moves between coroutines", function()
  local reader = assert(fastio.open(pieces("1 2 3 4", 1)))
  local function take() return reader:read_int() end
  local values = {}
  for _ = 1, 4 do
    local co = coroutine.create(take)
    local _, value = coroutine.resume(co)
    values[#values + 1] = value
    co = nil
    collectgarbage()
  end
  equal(values, {1, 2, 3, 4})
end)

test("what is no source", function()
  for _, wrong in ipairs {true, print, coroutine.create(function() end)} do
    raises("expected", fastio.read_ints, wrong)
    raises("expected", fastio.open, wrong)
  end
  for _, empty in ipairs {{}, setmetatable({}, {})} do
    raises("no source in the list", fastio.read_ints, empty)
    raises("expected", fastio.open, empty)
  end
  raises("expected", fastio.read_ints, nil)
  raises("", fastio.read_ints)
  raises("", fastio.lines)
  raises("descriptor", fastio.read_ints, -1)
  raises("descriptor", fastio.read_ints, 1.5)
  raises("descriptor", fastio.read_ints, 2^40)
  raises("NUL", fastio.read_ints, "a\0b")
  raises("NUL", fastio.load, "a\0b")
  raises("", fastio.data, 5)
  raises("uint8", fastio.read_ints, fastio.read_ints(fastio.data("1")))
  raises("expected", fastio.read_ints, fastio.read_lines(fastio.data("1")))
end)

test("special files", function()
  check.truthy(#assert(fastio.read_lines("/proc/self/status")) > 10)
  check.truthy(fastio.count_lines("/proc/self/maps") > 5)
  equal(#assert(fastio.read_bytes("/dev/null")), 0)
  local empty = check.file("")
  equal(#assert(fastio.read_ints(empty)), 0)
  equal(#assert(fastio.load(empty)), 0)
  for _ in fastio.lines(empty) do error("no line expected") end
  fails(2, "/nowhere: ", fastio.read_ints("/nowhere"))
  fails(21, "/tmp: ", fastio.read_ints("/tmp"))
  fails(21, "/tmp: ", fastio.load("/tmp"))
end)

test("a name that is not UTF-8", function()
  local name = check.file("") .. "\233\255"
  local file = assert(io.open(name, "w"))
  file:write("5")
  file:close()
  equal(assert(fastio.read_ints(name))[1], 5)
  os.remove(name)
  fails(2, name, fastio.read_ints(name))
end)

test("maps", function()
  local map = assert(fastio.load(path))
  equal(#map, #text)
  equal(map.is_mapped, true)
  equal(map.path, path)
  equal(map.closed, false)
  equal(map:sub(1, 4), "1 22")
  equal(map:sub(), text)
  equal({map:find("333")}, {6, 8})
  equal(map:find("3333"), nil)
  equal(map:find("1", 2), nil)
  equal({map:find("4\n")}, {14, 15})
  equal({map:find("")}, {1, 0})
  equal(map:byte(3), 50)
  equal(map:check(), true)
  equal(tostring(map), "fastio.MappedFile (15 bytes)")
  local pointer, size = map:pointer()
  equal(size, 15)
  if jit then equal(pointer[2], 50) end
  local step = fastio.lines(map)
  raises("being read", map.close, map)
  equal(step(), "1 22")
  for _ in step do end
  map:close()
  map:close()
  equal(map.closed, true)
  for _, method in ipairs {"sub", "find", "byte", "pointer", "check"} do raises("closed", map[method], map, "x") end
  raises("closed", function() return #map end)
  raises("closed", fastio.read_ints, map)
  raises("expected", map.sub, io.stdout)
end)

test("parts of maps", function()
  equal(assert(fastio.load(path, {offset = 5, length = 3})):sub(), "333")
  equal(assert(fastio.load(path, {offset = 14})):sub(), "\n")
  equal(#assert(fastio.load(path, {offset = 99})), 0)
  local map = assert(fastio.load(path))
  for _, advice in ipairs {"normal", "sequential", "random", "willneed"} do
    equal(assert(fastio.load(path, {advice = advice, populate = true, huge = true})):sub(), text)
    map:advise(advice)
    map:advise(advice, 3, -2)
  end
  raises("advice", map.advise, map, "none")
  equal(map:sub(), text)
  local fd, file = descriptor()
  map = assert(fastio.load(fd))
  equal(map.path, "<fd " .. fd .. ">")
  equal(map:sub(), text)
  equal(file:read("*l"), "1 22")
  raises("string expected", fastio.load, {})
  raises("string expected", fastio.load, -1)
  equal(assert(fastio.load("/proc/self/stat")).is_mapped, false)
end)

test("a map is not closed under its reader, however both are collected", function()
  for _ = 1, 50 do
    local step = fastio.lines(assert(fastio.load(path)))
    collectgarbage()
    equal(step(), "1 22")
  end
  collectgarbage() collectgarbage()
end)

test("a truncated file under a guarded map", function()
  local victim = check.file(("x"):rep(20000))
  local map = assert(fastio.load(victim, {guard = true}))
  equal(map:sub(1, 2), "xx")
  assert(io.open(victim, "w")):close()
  local ok, err = pcall(map.sub, map, 9000, 9010)
  equal(ok, false)
  equal(err.status, "truncated")
  fails("truncated", victim, map:check())
  fails("truncated", "", fastio.read_bytes(map))
end)

test("standard input", function()
  local lua = arg[-1] or "lua"
  local script = check.file([[
    local fastio = require "fastio"
    io.write(assert(fastio.read_ints("-")):sum(), "\n")
    print(fastio.open("-"):read_int())
  ]])
  local pipe = assert(io.popen("echo 1 2 3 | " .. lua .. " " .. script))
  equal(pipe:read("*l"), "6")
  equal(pipe:read("*l"), "nil")
  pipe:close()
  script = check.file([[print((select(2, require("fastio").read_ints("-"))))]])
  pipe = assert(io.popen("echo 1 x | " .. lua .. " " .. script))
  equal(pipe:read("*l"), "<stdin>:1:3: not an integer: 'x'")
  pipe:close()
end)

check.done()
