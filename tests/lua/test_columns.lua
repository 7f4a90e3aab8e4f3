-- Columns: indexing, views, copies, arithmetic.
local fastio = require "fastio"
local check = require "check"
local test, equal, raises, fails = check.test, check.equal, check.raises, check.fails

local function ints(text, options) return assert(fastio.read_ints(fastio.data(text), options)) end
local function floats(text, options) return assert(fastio.read_floats(fastio.data(text), options)) end

test("values and length", function()
  local c = ints("10 -20\n30")
  equal(#c, 3)
  equal({c[1], c[2], c[3]}, {10, -20, 30})
  equal(c.dtype, "int64")
  equal(c.null_count, 0)
  equal(c.shape, {3})
end)

test("outside is nil", function()
  local c = ints("1 2")
  for _, i in ipairs {0, -1, 3, 1.5, 2^53, 2^63, -2^63, 0/0, 1/0, -1/0} do equal(c[i], nil) end
  equal(c["1"], nil)
  equal(c.nothing, nil)
  equal(c[true], nil)
  equal(c[1.0], 1)
end)

test("a column can't be changed", function()
  local c = ints("1")
  raises("", function() c[1] = 2 end)
  equal(getmetatable(c), "fastio.Column")
end)

test("empty", function()
  local c = ints(" \n")
  equal(#c, 0)
  equal(c[1], nil)
  equal(c:sum(), 0)
  equal(c:min(), nil)
  equal(c:max(), nil)
  equal(c:mean(), nil)
  equal(c:totable(), {})
  equal(#c:slice(), 0)
  equal(floats(""):sum(), 0.0)
end)

local limits = {
  int8 = {"-128", "127"}, int16 = {"-32768", "32767"}, int32 = {"-2147483648", "2147483647"},
  uint8 = {"0", "255"}, uint16 = {"0", "65535"}, uint32 = {"0", "4294967295"},
}
for dtype, ends in pairs(limits) do
  test("limits of " .. dtype, function()
    local c = ints(ends[1] .. " 7 " .. ends[2], {dtype = dtype})
    local low, high = tonumber(ends[1]), tonumber(ends[2])
    equal(c.dtype, dtype)
    equal(c:totable(), {low, 7, high})
    equal(c:min(), low)
    equal(c:max(), high)
    equal(c:sum(), low + 7 + high)
    local below, above = ("%.0f"):format(low - 1), ("%.0f"):format(high + 1)
    fails("out_of_range", below, fastio.read_ints(fastio.data(below), {dtype = dtype}))
    fails("out_of_range", above, fastio.read_ints(fastio.data(above), {dtype = dtype}))
  end)
end

test("floats", function()
  local c = floats("1.5 -0 1e400 -inf 4.9e-324")
  equal(c:totable(), {1.5, -0.0, math.huge, -math.huge, 4.9e-324})
  equal(1 / c[2], -math.huge)
  equal(c.dtype, "float64")
  local f = floats("0.1 16777217", {dtype = "float32"})
  equal(f.dtype, "float32")
  equal(f[1], 13421773 / 2^27) -- 0.1 rounded to 24 bits
  equal(f[2], 16777216.0)
end)

test("nan", function()
  local c = floats("1 nan 3")
  check.truthy(c[2] ~= c[2])
  check.truthy(c:min() ~= c:min())
  check.truthy(c:max() ~= c:max())
  check.truthy(c:sum() ~= c:sum())
end)

test("iteration", function()
  local c = ints("5 6 7")
  local seen = {}
  for i, v in c:iter() do seen[#seen + 1] = i * 100 + v end
  equal(seen, {105, 206, 307})
  for _ in ints(""):iter() do error("no values expected") end
  if _VERSION ~= "Lua 5.1" then
    local sum = 0
    for i, v in pairs(c) do sum = sum + i * v end
    equal(sum, 5 + 12 + 21)
  end
  local step = c:iter()
  raises("expected", step, {}, 0)
  equal(step(c, 3), nil)
  equal(step(c, -5), nil)
end)

test("totable", function()
  local c = ints("1 2 3 4 5")
  equal(c:totable(), {1, 2, 3, 4, 5})
  equal(c:totable(2), {2, 3, 4, 5})
  equal(c:totable(2, 3), {2, 3})
  equal(c:totable(-2), {4, 5})
  equal(c:totable(0, 99), {1, 2, 3, 4, 5})
  equal(c:totable(4, 2), {})
  equal(c:totable(6), {})
  equal(c:totable(-99, -5), {1})
end)

test("slices share memory and keep it alive", function()
  local c = ints("1 2 3 4 5")
  local s = c:slice(2, 4)
  local t = s:slice(-2)
  c:close()
  c = nil
  collectgarbage() collectgarbage()
  equal(s:totable(), {2, 3, 4})
  equal(t:totable(), {3, 4})
  equal(s:sum(), 9)
  equal(s:max(), 4)
  equal(#t, 2)
  equal(t[3], nil)
end)

test("nulls", function()
  local c = ints("1,,NA,-4\n", {sep = ",", null_values = {"", "NA"}})
  equal(#c, 4)
  equal(c.null_count, 2)
  equal(c[2], nil)
  equal(c:totable(), {1, fastio.null, fastio.null, -4})
  equal(c:sum(), -3)
  equal(c:mean(), -1.5)
  equal(c:min(), -4)
  equal(c:max(), 1)
  local seen = {}
  for i, v in c:iter() do seen[i] = v or "none" end
  equal(seen, {1, "none", "none", -4})
  raises("nulls", c.pointer, c)
  local s = c:slice(2, 3)
  equal(s.null_count, 2)
  equal(s:min(), nil)
  equal(s:mean(), nil)
  equal(c:slice(3, 4).null_count, 1)
  equal(c:slice(4).null_count, 0)
  check.truthy(c:slice(4):pointer())
  equal(ints("NA 7", {null_values = "NA"}):max(), 7)
  equal(ints("NA -7", {null_values = "NA"}):max(), -7)
  equal(floats("NA,2.5", {null_values = "NA", sep = ","}):sum(), 2.5)
end)

test("sums of large values are exact", function()
  local c = ints("9007199254740992 1 -9007199254740992 1")
  equal(c:sum(), 2)
  equal(ints("9223372036854775807 -9223372036854775808 8"):sum(), 7)
  fails("out_of_range", "sum", ints("9223372036854775807 1"):sum())
  fails("out_of_range", "sum", ints("-9223372036854775808 -1"):sum())
  fails("out_of_range", "sum", ints("18446744073709551615 1", {dtype = "uint64"}):sum())
  local u = ints("18446744073709551614 1", {dtype = "uint64", int64 = "string"})
  equal(u:sum(), "18446744073709551615")
  equal(u:max(), "18446744073709551614")
  equal(ints("4294967295 4294967295 2", {dtype = "uint32"}):sum(), 8589934592)
  equal(ints("-1 -1 -1", {dtype = "int8"}):sum(), -3)
  equal(ints("9223372036854775807 -9223372036854775807 3"):mean(), 1.0)
end)

test("sum of floats is accurate", function()
  local parts = {}
  for i = 1, 100000 do parts[i] = "0.1" end
  local sum = floats(table.concat(parts, " ")):sum()
  check.truthy(math.abs(sum - 10000) < 1e-9, tostring(sum))
end)

test("shape", function()
  local c = ints("1 2 3\n4 5 6", {shape = {-1, 3}})
  equal(c.shape, {2, 3})
  equal(c:at(2, 1), 4)
  equal(c:at(1, 3), 3)
  for _, at in ipairs {{0, 1}, {3, 1}, {1, 0}, {1, 4}} do equal(c:at(at[1], at[2]), nil) end
  equal(c[6], 6)
  equal(c:slice(2).shape, {5})
  raises("no shape", c:slice(2).at, c:slice(2), 1, 1)
  raises("no shape", c.at, ints("1"), 1, 1)
  raises("integer", c.at, c, "x", 1)
  fails("bad_shape", "shape", fastio.read_ints(fastio.data("1 2 3 4"), {shape = {-1, 3}}))
  fails("bad_shape", "shape", fastio.read_ints(fastio.data("1 2 3"), {shape = {2, 3}}))
  equal(floats("1 2", {shape = {1, 2}}).shape, {1, 2})
end)

test("bytes", function()
  local c = assert(fastio.read_bytes(fastio.data("hello\0world")))
  equal(c.dtype, "uint8")
  equal(#c, 11)
  equal(c[6], 0)
  equal(c:sub(), "hello\0world")
  equal(c:sub(2, 4), "ell")
  equal(c:sub(-5), "world")
  equal(c:sub(5, 1), "")
  equal({c:find("o\0w")}, {5, 7})
  equal({c:find("o", 6)}, {8, 8})
  equal(c:find("z"), nil)
  equal({c:find("l", -3)}, {10, 10})
  equal(c:byte(), 104)
  equal(c:byte(-1), 100)
  equal(c:byte(12), nil)
  equal(c:byte(0), nil)
  equal(c:slice(7):sub(), "world")
  equal({c:slice(7):find("wo")}, {1, 2})
  raises("uint8", c.sub, ints("1"))
  equal(assert(fastio.read_bytes(fastio.data(""))):sub(), "")
end)

test("tostring and close", function()
  local c = ints("1 2")
  equal(tostring(c), "fastio.Column (int64, 2 items)")
  c:close()
  c:close()
  equal(tostring(c), "fastio.Column (closed)")
  raises("closed", function() return #c end)
  raises("closed", function() return c[1] end)
  raises("closed", function() return c.dtype end)
  for _, method in ipairs {"sum", "min", "totable", "slice", "iter", "pointer", "mean", "sub"} do
    raises("closed", c[method], c)
  end
end)

test("a method refuses what is not its object", function()
  local c = ints("1")
  for _, wrong in ipairs {{}, 1, "x", io.stdout, fastio.data("1"), fastio.read_lines(fastio.data("a"))} do
    raises("expected", c.sum, wrong)
  end
  raises("expected", c.sum)
  raises("expected", c.iter, io.stdout)
  raises("expected", c.close, io.stdout)
end)

test("lines", function()
  local l = assert(fastio.read_lines(fastio.data("one\ntwo\r\n\nlast \195\169")))
  equal(#l, 4)
  equal({l[1], l[2], l[3], l[4], l[5]}, {"one", "two", "", "last \195\169"})
  equal(l:totable(2, 3), {"two", ""})
  equal(l:slice(2)[1], "two")
  equal(l:slice(2, 2):totable(), {"two"})
  equal(l.dtype, "string")
  equal(tostring(l), "fastio.Lines (string, 4 items)")
  local seen = {}
  for i, v in l:iter() do seen[i] = v end
  equal(seen, {"one", "two", "", "last \195\169"})
  raises("expected", fastio.read_ints(fastio.data("1")).sum, l)
  l:close()
  raises("closed", function() return l[1] end)
end)

test("many values, in parallel and alone", function()
  local parts = {}
  for i = 1, 300000 do parts[i] = i * 7 % 1000003 end
  local path = check.file(table.concat(parts, "\n"))
  local alone, both = assert(fastio.read_ints(path, {threads = 1})), assert(fastio.read_ints(path, {threads = 3}))
  equal(#alone, 300000)
  equal(alone:sum(), both:sum())
  for i = 1, 300000, 997 do
    equal(alone[i], parts[i])
    equal(both[i], parts[i])
  end
  equal(#assert(fastio.read_lines(path)), 300000)
  equal(fastio.count_lines(path), 300000)
end)

check.done()
