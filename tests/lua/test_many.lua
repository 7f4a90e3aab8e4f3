-- Several sources as one: lists of them, and patterns.
local fastio = require "fastio"
local check = require "check"
local test, equal, truthy, raises, fails = check.test, check.equal, check.truthy, check.raises, check.fails
local data = fastio.data

local function object_of(text)
  return {read = function(self)
    self.read = function() end
    return text
  end}
end

local a, b = check.file("x,y\n1,p\n2,q\n"), check.file("x,y\n3,r\n")
local packed = check.file("")
assert(fastio.write_lines(packed, {"x,y", "4,s"}, {compression = "gzip"}))
local wide = check.file("")
assert(fastio.write_lines(wide, {"x,y", "5,K\195\182ln"}, {encoding = "utf-16"}))

test("numbers and lines", function()
  local column = assert(fastio.read_ints {data("1 2"), data(""), object_of("3\n"), data("4")})
  equal(column:totable(), {1, 2, 3, 4})
  equal(assert(fastio.read_floats {data("1.5"), data("2")}):totable(), {1.5, 2.0})
  equal(assert(fastio.read_lines {a, b}):totable(), {"x,y", "1,p", "2,q", "x,y", "3,r"})
  equal(assert(fastio.read_lines {data("a"), data("b\nc")}):totable(), {"a", "b", "c"})
  equal(assert(fastio.read_lines({data("\255"), data("\254")}, {encoding = false})).dtype, "binary")
  equal(assert(fastio.count_lines {a, packed, data("no end")}), 6)
  equal(assert(fastio.read_lines({a, b}, {skip_lines = 1})):totable(), {"1,p", "2,q", "3,r"})
  local file = assert(io.open(a))
  equal(#assert(fastio.read_lines {file, a}), 6)
  truthy(io.type(file) == "file", "it stays open")
  file:close()
  local map, bytes = assert(fastio.load(a)), assert(fastio.read_bytes(b))
  equal(assert(fastio.count_lines {map, bytes}), 5)
  map:close()
  equal(assert(fastio.read_ints {data("1")}):totable(), {1})
  equal(assert(fastio.read_ints({data("ff"), data("10")}, {base = 16, dtype = "uint8"})):totable(), {255, 16})
  local nulls = assert(fastio.read_floats({data("1\nx"), data("x\n2")}, {null_values = "x"}))
  equal(nulls.null_count, 2)
  equal(nulls:totable(), {1.0, fastio.null, fastio.null, 2.0})
  equal(assert(fastio.read_lines({data("\255"), data("b\254")}, {errors = "skip"})).decode_errors, 2)
end)

test("max_items and shape", function()
  for limit, expected in pairs {[0] = {}, [1] = {1}, [2] = {1, 2}, [3] = {1, 2, 3}, [9] = {1, 2, 3, 4}} do
    equal(assert(fastio.read_ints({data("1 2"), data("3 4")}, {max_items = limit})):totable(), expected)
    equal(assert(fastio.count_lines({data("1\n2"), data("3\n4")}, {max_items = limit})), #expected)
    equal(#assert(fastio.read_lines({data("1\n2"), data("3\n4")}, {max_items = limit})), #expected)
  end
  -- what comes behind the last item is not opened
  equal(assert(fastio.read_ints({data("1 2"), "/no/such"}, {max_items = 2})):totable(), {1, 2})
  local matrix = assert(fastio.read_ints({data("1 2 3"), data("4 5 6")}, {shape = {-1, 2}}))
  equal(matrix.shape, {3, 2})
  equal(matrix:at(2, 2), 4)
  equal(assert(fastio.read_ints({data("1 2 3"), data("4 5 6")}, {shape = {2, 3}})).shape, {2, 3})
  fails("bad_shape", "", fastio.read_ints({data("1 2 3"), data("4 5")}, {shape = {-1, 2}}))
  fails("bad_shape", "", fastio.read_ints({data("1 2"), data("4 5")}, {shape = {3, 2}}))
end)

test("tables", function()
  local t = assert(fastio.read_csv {a, b, packed, wide})
  equal(t.x:totable(), {1, 2, 3, 4, 5})
  equal(t.y:totable(), {"p", "q", "r", "s", "K\195\182ln"})
  -- types are those of all
  equal(assert(fastio.read_csv {data("x\n1\n"), object_of("x\n1.5\n")}).x:totable(), {1.0, 1.5})
  equal(assert(fastio.read_csv {data("x\n1\n"), data("x\nn/a\n")}).x:totable(), {"1", "n/a"})
  equal(#assert(fastio.read_csv {data("x\n"), data("x\n1\n")}), 1)
  for limit = 0, 4 do
    equal(#assert(fastio.read_csv({a, b}, {max_rows = limit})), math.min(limit, 3))
    local rows = 0
    for batch in assert(fastio.open_csv({a, b}, {max_rows = limit})):batches() do rows = rows + #batch end
    equal(rows, math.min(limit, 3))
  end
  equal(assert(fastio.read_csv({data("x\n\255\n"), data("x\n\254\n")}, {errors = "replace"})):decode_errors(), 2)
  equal(assert(fastio.read_csv({data("1\n"), data("2\n")}, {header = false, names = {"n"}})).n:totable(), {1, 2})
end)

test("the column that names the source", function()
  local sources = {a, data("x,y\n7,d\n"), b}
  local t = assert(fastio.read_csv(sources, {file_column = "from"}))
  equal(t:names(), {"from", "x", "y"})
  equal(t.from:totable(), {a, a, "<source 2>", b})
  equal(t.from.dtype, "dictionary")
  local seen = {}
  local reader = assert(fastio.open_csv(sources, {file_column = "from", batch_rows = 1}))
  equal(reader:names(), {"from", "x", "y"})
  for batch in reader:batches() do
    for _, from, x in batch:iter("from", "x") do seen[#seen + 1] = from .. "=" .. x end
  end
  equal(seen, {a .. "=1", a .. "=2", "<source 2>=7", b .. "=3"})
  equal(assert(fastio.read_csv(a, {file_column = "from"})).from:totable(), {a, a})
  equal(assert(fastio.read_csv(a, {dialect = {file_column = "from"}})).from:totable(), {a, a})
  equal(assert(fastio.open_csv(a, {file_column = "from"})):next().from:totable(), {a, a})
  raises("", fastio.read_csv, sources, {file_column = 5})
  raises("has the name", fastio.read_csv, sources, {file_column = "x"})
  reader = assert(fastio.open_csv(sources, {file_column = "x"}))
  raises("has the name", reader.next, reader)
  raises("has the name", reader.names, reader)
end)

test("batches of several", function()
  local reader = assert(fastio.open_csv({a, b, packed}, {batch_rows = 1}))
  equal(reader:names(), {"x", "y"})
  local values = {}
  for batch in reader:batches() do values[#values + 1] = batch.x[1] end
  equal(values, {1, 2, 3, 4})
  reader = assert(fastio.open_csv {a, b})
  raises("several sources", reader.count, reader)
  raises("several sources", reader.slice, reader)
  equal(#reader:next(), 2)
  equal(#reader:next(), 1)
  equal(reader:next(), nil)
  reader:close()
  raises("closed", reader.next, reader)
  local path = check.file("")
  assert(fastio.write_csv(path, assert(fastio.open_csv {a, b})))
  equal(assert(fastio.read_csv(path)).x:totable(), {1, 2, 3})
end)

test("failures tell which one", function()
  local bad = check.file("x,y\n9,z\n8\n")
  local info = fails("ragged", bad, fastio.read_csv {a, bad})
  equal({info.source, info.path, info.lineno}, {2, bad, 3})
  info = fails(2, "/no/such", fastio.read_csv {a, "/no/such", b})
  equal(info.path, "/no/such")
  info = fails("bad_token", "x", fastio.read_ints {data("1"), data("2 x")})
  equal(info.path, nil)
  equal({info.source, info.offset}, {2, 2})
  info = fails("bad_token", bad, fastio.read_ints {data("1"), data("2"), bad})
  equal({info.source, info.path}, {3, bad})
  info = fails("bad_header", b, fastio.read_csv {data("x\n1\n"), b})
  equal({info.source, info.path}, {2, b})
  local reader = assert(fastio.open_csv {data("x\n1\n"), b})
  equal(reader:next().x[1], 1)
  info = fails("bad_header", b, reader:next())
  equal({info.source, info.path}, {2, b})
  reader = assert(fastio.open_csv {a, "/no/such"})
  equal(#reader:next(), 2)
  fails(2, "/no/such", reader:next())
  raises("closed", reader.next, reader)
  reader:close()
  fails(2, "/no/such", fastio.open_csv {"/no/such", a})
  fails("corrupt", "", fastio.read_csv {a, data("\31\139\8\0\0\0\0\0\0\3nonsense")})
  fails(2, "", fastio.count_lines {a, "/no/such"})
end)

test("errors of objects pass through, whichever they are", function()
  local mine = {}
  local function failing(how) return {read = how} end
  for place = 1, 3 do
    for _, name in ipairs {"read_ints", "read_lines", "count_lines", "read_csv"} do
      local list = {object_of("1\n"), object_of("1\n"), object_of("1\n")}
      list[place] = failing(function() error(mine) end)
      local ok, err = pcall(fastio[name], list)
      equal(ok, false)
      truthy(rawequal(err, mine), name)
      list = {object_of("1\n"), object_of("1\n"), object_of("1\n")}
      list[place] = failing(function() return nil, "torn", 5 end)
      fails(5, "torn", fastio[name](list))
    end
    local list = {object_of("1\n2\n"), object_of("1\n2\n"), object_of("1\n2\n")}
    list[place] = failing(function() error(mine) end)
    local ok, err = pcall(function()
      for batch in assert(fastio.open_csv(list)):batches() do equal(#batch, 1) end
    end)
    equal(ok, false)
    truthy(rawequal(err, mine), "open_csv")
  end
end)

test("callbacks that change or close what is read", function()
  local list = {}
  list[1] = {read = function(self) self.read = function() end list[2], list[3] = nil, nil return "1 " end}
  list[2], list[3] = data("2"), data("3")
  equal(assert(fastio.read_ints(list)):totable(), {1, 2, 3})
  for _, name in ipairs {"read_csv", "read_ints", "count_lines"} do
    local file = assert(io.open(a))
    raises("closed", fastio[name], {{read = function() if io.type(file) == "file" then file:close() return "1\n" end end}, file})
  end
  local reader
  reader = assert(fastio.open_csv {data("x\n1\n"), {read = function() reader:close() end}})
  equal(#reader:next(), 1)
  raises("in use", reader.next, reader)
  reader:close()
  local again = {}
  again[1] = {read = function(self) self.read = function() end return "x\n" .. #assert(fastio.read_csv {a, b}) .. "\n" end}
  equal(assert(fastio.read_csv(again)).x:totable(), {3})
  list = {}
  for i = 1, 50 do
    list[i] = {read = function(self) self.read = function() end collectgarbage() return "x\n" .. i .. "\n" end}
  end
  equal(assert(fastio.read_csv(list)).x:sum(), 1275)
end)

test("in a coroutine", function()
  local step = coroutine.wrap(function()
    local reader = assert(fastio.open_csv({object_of("x\n1\n"), object_of("x\n2\n")}))
    for batch in reader:batches() do coroutine.yield(batch.x[1]) end
  end)
  equal({step(), step(), step()}, {1, 2, nil})
end)

test("progress", function()
  local text = ("1234567\n"):rep(100000)
  for name, options in pairs {read_ints = {}, read_csv = {header = false}, count_lines = {}} do
    local last, calls = 0, 0
    options.block_size = 65536
    options.progress = function(done, total)
      truthy(done >= last, "it never goes back")
      equal(total, nil)
      last, calls = done, calls + 1
    end
    assert(fastio[name]({data(text), data(text)}, options))
    truthy(calls > 2, name)
    options.progress = function() return false end
    fails("cancelled", "", fastio[name]({data(text), data(text)}, options))
  end
  local last = 0
  local reader = assert(fastio.open_csv({data(text), data(text)}, {header = false, batch_rows = 1000, progress = function(done)
    truthy(done >= last, "it never goes back")
    last = done
  end}))
  for _ in reader:batches() do end
  truthy(last > #text, "the second one counts on")
end)

test("what is no list of sources", function()
  for _, name in ipairs {"read_ints", "read_lines", "count_lines", "read_csv", "open_csv"} do
    raises("no source", fastio[name], {})
    raises("list of numbers", fastio[name], {1, 2, 3})
    raises("something else", fastio[name], {a, {b}})
    raises("something else", fastio[name], {a, nil, b})
    raises("argument #1", fastio[name], {a, true})
    raises("argument #1", fastio[name], {a, print})
  end
  for _, name in ipairs {"lines", "ints", "open", "read_bytes", "sniff", "partition", "load"} do
    truthy(not pcall(fastio[name], {a, b}), name)
  end
  raises("offset and length", fastio.read_ints, {a}, {offset = 1})
  raises("range", fastio.read_csv, {a, b}, {range = {0, 10}})
  raises("range", fastio.open_csv, {a, b}, {range = {0, 10}})
end)

test("glob", function()
  local base = check.file("")
  for _, name in ipairs {"-b.csv", "-a.csv", "-c.txt"} do
    local file = assert(io.open(base .. name, "w"))
    file:write("x\n1\n")
    file:close()
    check.remove_later(base .. name)
  end
  equal(assert(fastio.glob(base .. "-*.csv")), {base .. "-a.csv", base .. "-b.csv"})
  equal(assert(fastio.glob(base .. "-?.*")), {base .. "-a.csv", base .. "-b.csv", base .. "-c.txt"})
  equal(assert(fastio.glob(base .. "-[bc]*")), {base .. "-b.csv", base .. "-c.txt"})
  equal(#assert(fastio.read_csv(assert(fastio.glob(base .. "-*.csv")))), 2)
  fails(2, base .. "-none*", fastio.glob(base .. "-none*"))
  raises("NUL", fastio.glob, "a\0b")
  raises("", fastio.glob)
  raises("", fastio.glob, {})
end)

test("many sources", function()
  local list, total = {}, 0
  for i = 1, 2000 do
    list[i] = data("x\n" .. i .. "\n")
    total = total + i
  end
  equal(assert(fastio.read_csv(list)).x:sum(), total)
  equal(assert(fastio.count_lines(list)), 4000)
  equal(#assert(fastio.read_lines(list)), 4000)
  local sum = 0
  for batch in assert(fastio.open_csv(list)):batches() do sum = sum + batch.x[1] end
  equal(sum, total)
  for i = 1, 6000 do list[i] = object_of("x\n1\n") end
  local ok, t = pcall(fastio.read_csv, list) -- Lua 5.1 has no stack for so many at once
  if ok then equal(#t, 6000) else truthy(tostring(t):find("too many objects", 1, true), tostring(t)) end
  for i = 1, 6000 do list[i] = object_of("1\n") end
  equal(assert(fastio.read_ints(list)):sum(), 6000)
end)

test("nothing stays open", function()
  collectgarbage() collectgarbage()
  collectgarbage("stop")
  local before = check.descriptors()
  for _ = 1, 5 do
    assert(fastio.read_csv {a, b, packed})
    assert(fastio.read_lines {a, b, packed})
    for _ in assert(fastio.open_csv {a, b, packed}):batches() do end
    fastio.read_csv {a, "/no/such"}
    fastio.read_csv {a, data("z\n")}
    fastio.read_ints {a, b}
    pcall(fastio.read_csv, {a, {read = function() error {} end}})
    pcall(fastio.read_csv, {a, b}, {progress = function() error {} end})
    local reader = assert(fastio.open_csv {a, "/no/such"})
    reader:next()
    reader:next()
    reader:close()
  end
  local after = check.descriptors()
  collectgarbage("restart")
  equal(after, before)
end)

check.done()
