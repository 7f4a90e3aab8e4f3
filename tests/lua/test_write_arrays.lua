-- write_ints, write_floats, write_lines: from tables and columns, as methods and as functions.
local fastio = require "fastio"
local check = require "check"
local test, equal, raises, fails = check.test, check.equal, check.raises, check.fails
local data = fastio.data

-- What the method writes into memory.
local function written(name, ...)
  local w = fastio.writer()
  equal(w[name](w, ...), w)
  return w:value()
end
local function ints(...) return written("write_ints", ...) end
local function floats(...) return written("write_floats", ...) end
local function lines(...) return written("write_lines", ...) end

test("a list of integers", function()
  equal(ints {1, -2, 300}, "1 -2 300\n")
  equal(ints({1, 2}, {sep = ", ", ["end"] = ";"}), "1, 2;")
  equal(ints({1, 2}, {sep = "", eol = ""}), "12")
  equal(ints {7.0}, "7\n")
  equal(ints {"9223372036854775807", "-9223372036854775808"}, "9223372036854775807 -9223372036854775808\n")
  equal(ints {"18446744073709551615", 1}, "18446744073709551615 1\n")
  equal(ints({255, 16}, {format = fastio.integer(16, {width = 4})}), "  ff   10\n")
  equal(ints({1, 2}, {sep = "\n", format = "shortest"}), "1\n2\n")
  equal(ints {}, "\n")
end)

test("a list of floats", function()
  equal(floats {1, 2.5, 1 / 3}, "1.0 2.5 0.3333333333333333\n")
  equal(floats({1, 2 / 3}, {format = fastio.fixed(2), sep = ","}), "1.00,0.67\n")
  equal(floats({0.5}, {format = "hexadecimal"}), "0x1p-1\n")
  equal(floats {math.huge, -math.huge}, "inf -inf\n")
end)

test("rows", function()
  equal(ints({{1, 2, 3}, {4, 5, 6}}, {sep = ","}), "1,2,3\n4,5,6\n")
  equal(floats {{0.5}, {1}}, "0.5\n1.0\n")
  equal(floats({{0.5, 1}, {2, 3}}, {format = {fastio.fixed(1), fastio.scientific(0)}}), "0.5 1e+00\n2.0 3e+00\n")
  raises("bad option", floats, {{0.5, 1, 2}}, {format = {"shortest", "shortest"}})
  raises("bad option 'format'", floats, {{0.5, 1}}, {format = {"shortest", 5}})
  raises("row 2 has 1 values, the first one 2", ints, {{1, 2}, {3}})
  raises("row 2, value 1: a list in each row expected, got 3", ints, {{1, 2}, 3})
  raises("row 2, value 2: an integer expected, got 0.5", ints, {{1, 2}, {3, 0.5}})
end)

test("what is no number is named before anything is written", function()
  raises("value 2: an integer expected, got 2.5", ints, {1, 2.5})
  raises("value 3: an integer expected, got abc", ints, {1, 2, "abc"})
  raises("value 1: an integer expected, got 1.5", ints, {1.5})
  raises("value 1: an integer expected, got inf", ints, {math.huge})
  raises("value 1: an integer expected, got boolean", ints, {true})
  raises("value 1: an integer expected, got 1e+300", ints, {1e300})
  raises("value 2: a number expected, got x", floats, {1, "x"})
  raises("value 2: integers that fit one type of 64 bits", ints, {-1, "18446744073709551615"})
  raises("Column expected, got string", ints, "1 2")
  raises("value expected", ints)
  local w = fastio.writer()
  w:write("before")
  raises("value 3", w.write_ints, w, {1, 2, {}})
  equal(w:value(), "before")
  if not check.has_integers then raises("value 1: an integer expected", ints, {2 ^ 53 + 2}) end
end)

test("nulls need a text", function()
  equal(ints({1, fastio.null, 3}, {null = "NA"}), "1 NA 3\n")
  equal(floats({fastio.null}, {null = ""}), "\n")
  raises("the option 'null'", ints, {1, fastio.null})
  local column = fastio.read_ints(data("1,,3,,5"), {sep = ",", null_values = ""})
  raises("the option 'null'", ints, column)
  equal(ints(column, {null = "-"}), "1 - 3 - 5\n")
  for first = 1, 5 do
    local expected = ({"1 - 3 - 5\n", "- 3 - 5\n", "3 - 5\n", "- 5\n", "5\n"})[first]
    equal(ints(column:slice(first), {null = "-"}), expected)
  end
  equal(ints(column:slice(1, 1)), "1\n") -- there is none in it
end)

test("columns", function()
  local text = "1 -2 3\n4 5 6\n"
  for _, dtype in ipairs {"int8", "int16", "int32", "int64"} do
    equal(ints(fastio.read_ints(data(text), {dtype = dtype})), "1 -2 3 4 5 6\n")
    equal(ints(fastio.read_ints(data(text), {dtype = dtype, shape = {-1, 3}})), text)
    equal(ints(fastio.read_ints(data(text), {dtype = dtype}):slice(2, 4)), "-2 3 4\n")
  end
  equal(ints(fastio.read_ints(data("18446744073709551615"), {dtype = "uint64"})), "18446744073709551615\n")
  equal(floats(fastio.read_floats(data("0.1 2"))), "0.1 2.0\n")
  equal(floats(fastio.read_floats(data("0.1 2"), {dtype = "float32"})), "0.1 2.0\n")
  raises("a column of floats expected, got one of int64", floats, fastio.read_ints(data("1")))
  raises("a column of integers expected, got one of float64", ints, fastio.read_floats(data("1")))
  raises("a column of integers expected, got one of string", ints, fastio.read_lines(data("1")))
  local closed = fastio.read_ints(data("1"))
  closed:close()
  raises("closed", ints, closed)
end)

test("lines", function()
  equal(lines {"a", "", "b\0c", 5, 0.5}, "a\n\nb\0c\n5\n0.5\n")
  equal(lines({"a", "b"}, {["end"] = "\r\n"}), "a\r\nb\r\n")
  equal(lines({"a", "b"}, {eol = ""}), "ab")
  equal(lines {}, "")
  local column = fastio.read_lines(data("x\ny\n\nz"))
  equal(lines(column), "x\ny\n\nz\n")
  equal(lines(column:slice(2, 3)), "y\n\n")
  equal(lines(column, {eol = "|"}), "x|y||z|")
  local i = 0
  equal(lines(function() i = i + 1 return i <= 3 and "line " .. i or nil end), "line 1\nline 2\nline 3\n")
  equal(lines(fastio.lines(data("p\nq"))), "p\nq\n")
  raises("line 2: a string expected, got table", lines, {"a", {}})
  raises("line 1: a string expected, got boolean", lines, function() return true end)
  raises("mine", lines, function() error("mine") end)
  raises("a list, an iterator or a column of strings", lines, fastio.read_ints(data("1")))
end)

test("functions: a dest is opened and closed", function()
  local path = check.file("old")
  local function content()
    local file = assert(io.open(path, "rb"))
    local text = file:read("*a")
    file:close()
    return text
  end
  equal(fastio.write_ints(path, {1, 2}), true)
  equal(content(), "1 2\n")
  equal(fastio.write_floats(path, {0.5}, {mode = "a", sep = ","}), true)
  equal(content(), "1 2\n0.5\n")
  equal(fastio.write_lines(path, {"a"}, {atomic = true}), true)
  equal(content(), "a\n")
  fails(17, path, fastio.write_lines(path, {"b"}, {mode = "x"}))
  local w = fastio.writer()
  equal(fastio.write_ints(w, {1}), w) -- a Writer stays open
  equal(fastio.write_lines(w, {"x"}), w)
  equal(w:value(), "1\nx\n")
  raises("does not apply", w.write_ints, w, {1}, {atomic = true})
  raises("bad option 'mode'", fastio.write_ints, path, {1}, {mode = "r"})
  local got = ""
  equal(fastio.write_ints({write = function(_, text) got = got .. text end}, {1, 2}), true)
  equal(got, "1 2\n")
  raises("a path", fastio.write_ints, {1, 2}, {3})
end)

test("many values: the same bytes for any number of threads and any block, and they read back", function()
  local numbers, floats_, seed = {}, {}, 42
  for i = 1, 20000 do
    seed = (seed * 16807) % 2147483647
    numbers[i] = seed - 1073741824
    floats_[i] = seed / 1000003
  end
  local text = table.concat(numbers, "\n") .. "\n"
  for _, options in ipairs {{threads = 1}, {threads = 2, block_size = 1000}, {threads = 3}, {block_size = 1}} do
    options.sep = "\n"
    equal(ints(numbers, options) == text, true)
  end
  equal(fastio.read_floats(data(floats(floats_))):totable(), floats_)
  local column = fastio.read_floats(data(floats(floats_)))
  equal(floats(column, {threads = 2, block_size = 5000}) == floats(floats_, {threads = 1}), true)
  equal(fastio.read_ints(data(text)):totable(), numbers)
  local all = fastio.read_lines(data(text))
  equal(lines(all) == text, true)
end)

test("progress, and cancelling", function()
  local numbers, calls, last = {}, 0, 0
  for i = 1, 50000 do numbers[i] = i end
  ints(numbers, {threads = 1, block_size = 1000, progress = function(done, total)
    calls = calls + 1
    check.truthy(done >= last and total == 50000)
    last = done
  end})
  check.truthy(calls > 1)
  equal(last, 50000)
  local w = fastio.writer()
  fails("cancelled", "", w:write_ints(numbers, {block_size = 1000, progress = function() return false end}))
  raises("mine", w.write_ints, w, numbers, {progress = function() error("mine") end})
  raises("in use", w.write_ints, w, numbers, {progress = function() w:write("x") end})
  equal(ints({1, 2}, {progress = false}), "1 2\n")
end)

test("the writer's object fails in the middle", function()
  local numbers = {}
  for i = 1, 100000 do numbers[i] = i end
  for _, threads in ipairs {1, 2} do
    local calls = 0
    local object = {write = function()
      calls = calls + 1
      if calls == 3 then error("mine") end
    end}
    raises("mine", fastio.write_ints, object, numbers, {threads = threads, buffer_size = 1000, block_size = 5000})
    equal(calls, 3)
  end
end)

check.done()
