-- Failures say where; misuse raises; strict mode raises everything.
local fastio = require "fastio"
local check = require "check"
local test, equal, raises, fails = check.test, check.equal, check.raises, check.fails

local function data(text) return fastio.data(text) end

test("where a bad token is", function()
  local path = check.file("1 2\n3  4x 5\n")
  local info = fails("bad_token", path .. ":2:4: ", fastio.read_ints(path))
  equal(info.path, path)
  equal(info.offset, 7)
  equal(info.lineno, 2)
  equal(info.colno, 4)
  equal(info.text, "4x")
  equal(info.status, "bad_token")
  equal(info.errno, nil)
  equal(info.record, nil)
  equal(info.field, nil)
  info = fails("bad_token", "line 2, column 4: ", fastio.read_ints(data("1 2\n3  4x 5\n")))
  equal(info.path, nil)
end)

test("the first bad token, however many threads", function()
  local parts = {}
  for i = 1, 200000 do parts[i] = tostring(i) end
  parts[150001], parts[199999] = "oops", "worse"
  local path = check.file(table.concat(parts, "\n"))
  for threads = 1, 4 do
    local info = fails("bad_token", "'oops'", fastio.read_ints(path, {threads = threads}))
    equal(info.lineno, 150001)
    equal(info.colno, 1)
    equal(info.offset, #table.concat(parts, "\n", 1, 150000) + 1)
  end
end)

test("the same place from an iterator and a reader", function()
  local text = "1 2\n3 4x"
  local function same(info)
    equal({info.offset, info.lineno, info.colno, info.text, info.status}, {6, 2, 3, "4x", "bad_token"})
  end
  same(raises("4x", function() for _ in fastio.ints(data(text)) do end end))
  same(raises("4x", function() for _ in fastio.floats(data(text)) do end end))
  local reader = assert(fastio.open(data(text)))
  for i = 1, 3 do equal(reader:read_int(), i) end
  same(fails("bad_token", "4x", reader:read_int()))
  same(fails("bad_token", "4x", reader:read_float()))
  same(raises("4x", reader:ints()))
end)

test("the values before the bad one come first", function()
  local seen = {}
  raises("bad", function() for v in fastio.ints(data("1 2 3 bad 5")) do seen[#seen + 1] = v end end)
  equal(seen, {1, 2, 3})
end)

test("an iterator that raised is at its end", function()
  local step = fastio.ints(data("1 x"))
  equal(step(), 1)
  raises("x", step)
  equal(step(), nil)
  equal(step(), nil)
end)

test("statuses", function()
  fails("out_of_range", "300", fastio.read_ints(data("300"), {dtype = "uint8"}))
  fails("empty_field", "", fastio.read_ints(data("1,,2"), {sep = ","}))
  fails("empty_field", "", fastio.read_ints(data("1,2,"), {sep = ","}))
  fails("out_of_range", "1e400", fastio.read_floats(data("1e400"), {overflow = "error"}))
  equal(assert(fastio.read_floats(data("1e400"), {overflow = "ieee"}))[1], math.huge)
  local info = fails("bad_encoding", "", fastio.read_lines(data("ok\nb\255\n")))
  equal({info.offset, info.lineno, info.colno}, {4, 2, 2})
  info = raises("", function() for _ in fastio.lines(data("ok\nb\255\n")) do end end)
  equal({info.offset, info.lineno, info.colno, info.status}, {4, 2, 2, "bad_encoding"})
  local reader = assert(fastio.open(data("a b")))
  fails("mismatch", "", reader:expect("b"))
  equal(reader:expect("a"), true)
end)

test("text is cut at 64 bytes and printable in the message", function()
  local info = fails("bad_token", "xxx", fastio.read_ints(data(("x"):rep(1000))))
  equal(#info.text, 64)
  info = fails("bad_token", "'a\\x00\\xff'", fastio.read_ints(data("a\0\255")))
  equal(info.text, "a\0\255")
end)

test("missing files", function()
  local info = fails(2, "/no/such: No such file or directory", fastio.read_ints("/no/such"))
  equal(info.errno, 2)
  equal(info.status, "os_error")
  equal(info.path, "/no/such")
  for _, name in ipairs {"read_floats", "read_lines", "read_bytes", "count_lines", "open", "load"} do
    fails(2, "/no/such: ", fastio[name]("/no/such"))
  end
  for _, name in ipairs {"lines", "ints", "floats"} do
    local err = raises("/no/such: No such file", fastio[name], "/no/such")
    equal(err.errno, 2)
    equal(getmetatable(err), "fastio.Error")
  end
end)

test("strict", function()
  equal(fastio.strict(), false)
  equal(fastio.strict(true), false)
  equal(fastio.strict(), true)
  local err = raises("/no/such", fastio.read_ints, "/no/such")
  equal(err.errno, 2)
  equal(raises("4x", fastio.read_ints, data("4x")).text, "4x")
  raises("/no/such", fastio.open, "/no/such")
  raises("/no/such", fastio.load, "/no/such")
  raises("cancelled", fastio.read_ints, data("1"), {progress = function() return false end})
  local column = fastio.read_ints(data("9223372036854775807 1"))
  equal(raises("sum", column.sum, column).status, "out_of_range")
  local reader = fastio.open(data("1 x"))
  equal(reader:read_int(), 1)
  raises("x", reader.read_int, reader)
  equal(reader:skip(), true)
  equal(reader:read_int(), nil)
  raises("mine", fastio.read_ints, {read = function() return nil, "mine", 3 end})
  equal(fastio.strict(false), true)
  fails(2, "", fastio.read_ints("/no/such"))
end)

test("cancel", function()
  local calls = 0
  local text = ("1234567 "):rep(200000)
  local function second() calls = calls + 1 return calls < 2 end
  fails("cancelled", "", fastio.read_ints(data(text), {threads = 1, block_size = 65536, progress = second}))
  equal(calls, 2)
  for _, name in ipairs {"read_floats", "read_lines", "read_bytes", "count_lines"} do
    fails("cancelled", "", fastio[name](data(text), {progress = function() return false end}))
  end
end)

test("progress", function()
  local text = ("1234567 "):rep(500000)
  local path = check.file(text)
  local last, total, calls = -1, nil, 0
  assert(fastio.read_ints(path, {threads = 1, block_size = 65536, progress = function(d, t)
    check.truthy(d >= last)
    last, total, calls = d, t, calls + 1
  end}))
  check.truthy(last > 0 and last <= #text)
  equal(("%.0f"):format(total), tostring(#text))
  check.truthy(calls > 1)
  local pipe, unknown = io.popen("cat " .. path), false
  assert(fastio.read_ints(pipe, {progress = function(_, t) unknown = unknown or t == nil end}))
  pipe:close()
  check.truthy(unknown)
  assert(fastio.read_ints(path, {progress = true}))
  assert(fastio.read_ints(path, {progress = false}))
end)

test("an error in the progress function passes through", function()
  local thrown = {}
  local ok, err = pcall(fastio.read_ints, data("1 2"), {progress = function() error(thrown) end})
  equal(ok, false)
  check.truthy(err == thrown)
  ok, err = pcall(fastio.count_lines, data("1 2"), {progress = function() error("plain", 0) end})
  equal(err, "plain")
end)

test("a debug hook stops a long read", function()
  local path = check.file(("1234567 "):rep(1000000))
  local calls = 0
  local function hook()
    calls = calls + 1
    if calls > 3 then
      debug.sethook()
      error("interrupted")
    end
  end
  local ok, err = pcall(function()
    debug.sethook(hook, "c")
    local result = {fastio.read_ints(path, {threads = 1})}
    debug.sethook()
    return result[1]
  end)
  debug.sethook()
  equal(ok, false)
  check.truthy(tostring(err):find("interrupted"))
end)

test("other functions may be used from a callback", function()
  local inner = {}
  local object = {read = function(self)
    if self.done then return nil end
    self.done = true
    for v in fastio.ints(data("7 8")) do inner[#inner + 1] = v end
    inner[#inner + 1] = select(3, fastio.read_ints("/no/such"))
    return "5 6"
  end}
  equal(assert(fastio.read_ints(object)):totable(), {5, 6})
  equal(inner, {7, 8, 2})
end)

test("an error table of fastio passes through a callback unchanged", function()
  local err = raises("/no/such", fastio.read_ints, {read = function() for _ in fastio.lines("/no/such") do end end})
  equal(err.errno, 2)
end)

check.done()
