-- A last line or record that has no newline yet: taken, an error, or left until the rest is there.
local fastio = require "fastio"
local check = require "check"
local test, equal, truthy, raises, fails = check.test, check.equal, check.truthy, check.raises, check.fails
local data = fastio.data

-- A file that grows, and the path of it.
local function growing()
  local path = check.file("")
  local file = assert(io.open(path, "ab"))
  return path, function(text)
    file:write(text)
    file:flush()
  end, file
end

test("whole sources", function()
  local text = "1,2\n3,4"
  equal(assert(fastio.read_lines(data(text), {partial = "emit"})):totable(), {"1,2", "3,4"})
  equal(assert(fastio.read_lines(data(text), {partial = "hold"})):totable(), {"1,2"})
  fails("truncated", "", fastio.read_lines(data(text), {partial = "error"}))
  equal(assert(fastio.read_ints(data("1 2\n3"), {partial = "hold"})):totable(), {1, 2})
  fails("truncated", "", fastio.read_floats(data("1 2\n3"), {partial = "error"}))
  equal(assert(fastio.count_lines(data(text), {partial = "hold"})), 1)
  fails("truncated", "", fastio.count_lines(data(text), {partial = "error"}))
  local csv = {header = false, names = {"a", "b"}, partial = "hold"}
  equal(assert(fastio.read_csv(data(text), csv)).b:totable(), {2})
  csv.partial = "error"
  fails("truncated", "", fastio.read_csv(data(text), csv))
  for _, how in ipairs {"emit", "hold", "error"} do
    equal(assert(fastio.read_lines(data("a\nb\n"), {partial = how})):totable(), {"a", "b"})
    equal(#assert(fastio.read_lines(data(""), {partial = how})), 0)
    equal(#assert(fastio.read_csv(data("a\n1\n"), {partial = how})), 1)
  end
  raises("'partial'", fastio.read_lines, data(""), {partial = "wait"})
end)

test("the lines of a reader", function()
  local path, append, file = growing()
  local reader = assert(fastio.open(path, {partial = "hold"}))
  local function take()
    local lines = {}
    for line in reader:lines() do lines[#lines + 1] = line end
    return lines
  end
  equal(take(), {})
  append("1,2\n3,")
  equal(take(), {"1,2"})
  equal(take(), {})
  append("4")
  equal(take(), {})
  equal(reader:read_line(), nil)
  append("\n5\n")
  equal(take(), {"3,4", "5"})
  append("caf\195")
  equal(take(), {})
  append("\169\n")
  equal(reader:read_line(), "caf\195\169")
  equal(reader:read_line(), nil)
  reader:close()
  file:close()
end)

test("the values of a reader", function()
  local path, append, file = growing()
  local reader = assert(fastio.open(path, {partial = "hold"}))
  append("1 2\n3")
  local function take()
    local values = {}
    for value in reader:ints() do values[#values + 1] = value end
    return values
  end
  equal(take(), {1, 2})
  equal(reader:read_int(), nil)
  append("4\n")
  equal(take(), {34})
  reader:close()
  file:close()
end)

test("an error until it is whole", function()
  local path, append, file = growing()
  append("a\nb")
  local reader = assert(fastio.open(path, {partial = "error"}))
  equal(reader:read_line(), "a")
  fails("truncated", "", reader:read_line())
  reader:close()
  local seen = {}
  local err = raises("", function()
    for line in fastio.lines(path, {partial = "error"}) do seen[#seen + 1] = line end
  end)
  equal(err.status, "truncated")
  equal(err.path, path)
  equal(seen, {"a"})
  file:close()
end)

test("an iterator ends before what is held", function()
  local seen = {}
  for line in fastio.lines(data("a\nb"), {partial = "hold"}) do seen[#seen + 1] = line end
  for value in fastio.ints(data("1\n2"), {partial = "hold"}) do seen[#seen + 1] = value end
  equal(seen, {"a", 1})
end)

test("the batches of a table", function()
  local path, append, file = growing()
  local options = {partial = "hold", dtype = {a = "int64", b = "string"}}
  local reader, _, code = fastio.open_csv(path, options)
  equal(reader, nil, "there is no header yet")
  equal(code, "end")
  append("a,b\n1,x\n2,")
  reader = assert(fastio.open_csv(path, options))
  local batch = assert(reader:next())
  equal(batch.a:totable(), {1})
  equal(reader:next(), nil)
  append("y")
  equal(reader:next(), nil)
  append('\n3,"two\nli')
  batch = assert(reader:next())
  equal(batch.b:totable(), {"y"})
  append('nes"\n')
  batch = assert(reader:next())
  equal(batch.b:totable(), {"two\nlines"})
  equal(reader:next(), nil)
  reader:close()
  file:close()
end)

test("an object that gives more after its end", function()
  local pieces = {"1\n2", "", "3\n", "", "4\n"}
  local reader = assert(fastio.open({read = function() return table.remove(pieces, 1) end}, {partial = "hold"}))
  local lines = {}
  for _ = 1, 8 do
    for line in reader:lines() do lines[#lines + 1] = line end
  end
  equal(lines, {"1", "23", "4"})
  reader:close()
end)

test("in another encoding", function()
  local path, append, file = growing()
  append("a\0\n\0b\0")
  local reader = assert(fastio.open(path, {partial = "hold", encoding = "utf-16le"}))
  equal({reader:read_line(), reader:read_line()}, {"a", nil})
  append("\n\0")
  equal({reader:read_line(), reader:read_line()}, {"b", nil})
  reader:close()
  file:close()
end)

check.done()
