-- Options: what each one does, and that a wrong one raises.
local fastio = require "fastio"
local check = require "check"
local test, equal, raises, fails = check.test, check.equal, check.raises, check.fails

local function data(text) return fastio.data(text) end
local function ints(text, options) return assert(fastio.read_ints(data(text), options)):totable() end
local function lines(text, options)
  local list = assert(fastio.read_lines(data(text), options)):totable()
  local seen = {}
  for line in fastio.lines(data(text), options) do seen[#seen + 1] = line end
  equal(seen, list, "lines and read_lines differ")
  return list
end

test("sep", function()
  equal(ints("1,2\n3, 4 \n\n5", {sep = ","}), {1, 2, 3, 4, 5})
  equal(ints("1 2", {sep = " "}), {1, 2})
  fails("empty_field", "", fastio.read_ints(data("1  2"), {sep = " "}))
  local reader = assert(fastio.open(data("1,2;\n3"), {sep = ","}))
  equal(reader:read_int(), 1)
  equal(reader:read_token(), "2;")
  equal(reader:read_int(), 3)
  local seen = {}
  for v in fastio.floats(data("1.5,2"), {sep = ","}) do seen[#seen + 1] = v end
  equal(seen, {1.5, 2.0})
end)

test("comment and skip_lines", function()
  equal(ints("1 # x\n# 2\n3#4", {comment = "#"}), {1, 3})
  equal(ints("title\n5", {skip_lines = 1}), {5})
  equal(ints("title", {skip_lines = 9}), {})
  equal(lines("a\nb\nc", {skip_lines = 1}), {"b", "c"})
  equal(fastio.count_lines(data("a\nb\nc"), {skip_lines = 1}), 2)
  equal(assert(fastio.open(data("a b\n7"), {skip_lines = 1})):read_int(), 7)
end)

test("base", function()
  equal(ints("ff -10", {base = 16}), {255, -16})
  equal(ints("101", {base = 2}), {5})
  equal(assert(fastio.open(data("zz"), {base = 36})):read_int(), 1295)
  for v in fastio.ints(data("17"), {base = 8}) do equal(v, 15) end
end)

test("null_values", function()
  local n = fastio.null
  equal(ints("1 NA x", {null_values = {"NA", "x"}}), {1, n, n})
  equal(ints("1,,2", {sep = ",", null_values = {""}}), {1, n, 2})
  equal(ints("1 NA", {null_values = "NA"}), {1, n})
  equal(ints("1", {null_values = {}}), {1})
end)

test("null_values are safe from a callback", function()
  local list = {"NA" .. os.time()}
  local text = ("1 " .. list[1] .. " "):rep(1000)
  local options = {null_values = list, block_size = 64}
  options.progress = function()
    list[1], options.null_values = nil, nil
    collectgarbage()
  end
  equal(assert(fastio.read_ints(data(text), options)).null_count, 1000)
end)

test("offset, length and neighbours", function()
  equal(ints("11 22 33", {offset = 3}), {22, 33})
  equal(ints("11 22 33", {offset = 1}), {22, 33})
  equal(ints("11 22 33", {length = 4}), {11, 22})
  equal(ints("11 22 33", {offset = 99}), {})
  equal(lines("a\nb\nc", {offset = 2, length = 2}), {"b"})
  local text = "1 22 333\n4444 55555\n6 7"
  for cut = 0, #text do
    local all = ints(text, {length = cut})
    for _, v in ipairs(ints(text, {offset = cut})) do all[#all + 1] = v end
    equal(all, {1, 22, 333, 4444, 55555, 6, 7}, "cut at " .. cut)
    local whole = lines(text, {length = cut})
    for _, v in ipairs(lines(text, {offset = cut})) do whole[#whole + 1] = v end
    equal(whole, {"1 22 333", "4444 55555", "6 7"}, "cut at " .. cut)
  end
  equal(assert(fastio.read_bytes(data("abcdef"), {offset = 2, length = 3})):sub(), "cde")
end)

test("max_items", function()
  equal(ints("1 2 x", {max_items = 2}), {1, 2})
  equal(ints("1 2", {max_items = 0}), {})
  equal(assert(fastio.read_lines(data("a\nb\nc"), {max_items = 2})):totable(), {"a", "b"})
end)

test("any block size gives the same", function()
  for size = 1, 9 do
    equal(ints("1 22\n-333 4444444444\n", {block_size = size}), {1, 22, -333, 4444444444})
    equal(lines("one\r\n\ntwo\r\nthree", {block_size = size}), {"one", "", "two", "three"})
    local reader = assert(fastio.open(data("abc def\nlong line\r\n42"), {block_size = size}))
    equal(reader:read_token(), "abc")
    equal(reader:read_line(), " def")
    equal(reader:read_line(), "long line")
    equal(reader:read_int(), 42)
  end
end)

test("newline and keepends", function()
  equal(lines("a\r\nb\rc\n\n"), {"a", "b\rc", ""})
  equal(lines("a\r\nb\rc\nd", {newline = "any"}), {"a", "b", "c", "d"})
  equal(lines("a\0b\n\0c", {newline = "\0"}), {"a", "b\n", "c"})
  equal(lines("a;b", {newline = ";"}), {"a", "b"})
  equal(lines("a\r\nb\n\nc", {keepends = true}), {"a\r\n", "b\n", "\n", "c"})
  equal(lines("a\r\rb", {newline = "any", keepends = true}), {"a\r", "\r", "b"})
  equal(fastio.count_lines(data("a\rb\r"), {newline = "any"}), 2)
end)

test("NUL bytes in lines", function()
  equal(lines("a\0b\n\0\0\nc"), {"a\0b", "\0\0", "c"})
end)

test("encoding", function()
  equal(lines("\239\187\191a\nb"), {"a", "b"})
  equal(lines("\239\187\191a", {encoding = "binary"}), {"\239\187\191a"})
  equal(lines("\255\254!", {encoding = false}), {"\255\254!"})
  equal(assert(fastio.read_lines(data("\255"), {encoding = "binary"})).dtype, "binary")
  equal(lines("\195\169", {encoding = "utf-8"}), {"\195\169"})
  fails("bad_encoding", "", fastio.read_lines(data("\255")))
  equal(assert(fastio.open(data("\239\187\191x\255"), "rb")):read_line(), "\239\187\191x\255")
  equal(assert(fastio.open(data("\239\187\191x"), "r")):read_line(), "x")
  equal(assert(fastio.open(data("\239\187\191x"), "rb", {encoding = "utf-8"})):read_line(), "x")
end)

test("unknown options", function()
  for _, name in ipairs {"read_ints", "read_floats", "read_lines", "read_bytes", "count_lines", "lines", "ints", "floats",
                         "open", "load"} do
    raises("unknown option 'thread'", fastio[name], "/no/such", {thread = 1})
    raises("key", fastio[name], "/no/such", {1})
    raises("expected", fastio[name], "/no/such", 5)
  end
  raises("does not apply", fastio.open, "/no/such", "r", {mode = "r"})
end)

test("options that do not apply", function()
  for name, option in pairs {read_bytes = "sep", count_lines = "dtype", lines = "threads", ints = "keepends",
                             read_ints = "keepends", read_lines = "base", load = "threads", open = "threads",
                             read_floats = "base", floats = "shape"} do
    raises("'" .. option .. "' does not apply", fastio[name], "/no/such", {[option] = 1})
  end
end)

test("bad values", function()
  local bad = {
    {"threads", 0}, {"threads", -1}, {"threads", 1.5}, {"threads", "1"}, {"threads", 2^40}, {"threads", 0/0},
    {"offset", -1}, {"length", "x"}, {"max_items", -5}, {"skip_lines", true}, {"block_size", 0},
    {"base", 1}, {"base", 37}, {"sep", ""}, {"sep", ",,"}, {"sep", 5}, {"comment", "##"}, {"dtype", "int65"},
    {"dtype", "float64"}, {"dtype", "string"}, {"dtype", 8}, {"int64", "float"}, {"int64", true}, {"progress", 1},
    {"shape", {1}}, {"shape", {0, 2}}, {"shape", {1, 0}}, {"shape", {-2, 1}}, {"shape", 3}, {"shape", {"a", "b"}},
    {"null_values", 5}, {"null_values", {1}}, {"null_values", {"a", {}}},
  }
  for _, case in ipairs(bad) do
    raises("bad option '" .. case[1] .. "'", fastio.read_ints, data("1"), {[case[1]] = case[2]})
  end
  raises("'keepends'", fastio.lines, data(""), {keepends = 1})
  raises("'newline'", fastio.lines, data(""), {newline = "crlf!"})
  raises("encoding", fastio.lines, data(""), {encoding = "no-such-encoding"})
  raises("'encoding'", fastio.lines, data(""), {encoding = true})
  raises("'encoding'", fastio.lines, data(""), {encoding = 8})
  raises("compression", fastio.lines, data(""), {compression = "no-such-format"})
  raises("'compression'", fastio.lines, data(""), {compression = true})
  raises("'trailing'", fastio.lines, data(""), {trailing = "keep"})
  raises("'errors'", fastio.lines, data(""), {errors = "ignore"})
  raises("'partial'", fastio.lines, data(""), {partial = true})
  raises("'max_size'", fastio.lines, data(""), {max_size = -1})
  raises("'partial' does not apply", fastio.read_bytes, data(""), {partial = "hold"})
  raises("'compression' does not apply", fastio.load, "/etc/passwd", {compression = "gzip"})
  raises("'file_column' does not apply", fastio.read_lines, {"/etc/passwd"}, {file_column = "f"})
  raises("'overflow'", fastio.read_floats, data(""), {overflow = "wrap"})
  raises("'dtype'", fastio.read_floats, data(""), {dtype = "int64"})
  raises("'dtype'", fastio.ints, data(""), {dtype = "int32"})
  raises("'advice'", fastio.load, "/etc/passwd", {advice = "none"})
  raises("'guard'", fastio.load, "/etc/passwd", {guard = 1})
end)

test("what the core refuses is misuse", function()
  raises("", fastio.read_ints, data("1"), {sep = "5"})
  raises("", fastio.read_ints, data("1"), {sep = "-"})
  raises("", fastio.read_ints, data("1"), {sep = ",", comment = ","})
end)

test("float32 iterates as float32", function()
  for v in fastio.floats(data("0.1"), {dtype = "float32"}) do equal(v, 13421773 / 2^27) end
  -- 1 + 2^-24 + 2^-60: through a double it would tie, and round down to 1
  for v in fastio.floats(data("1.000000059604644775391"), {dtype = "float32"}) do equal(v, 1 + 2^-23) end
end)

check.done()
