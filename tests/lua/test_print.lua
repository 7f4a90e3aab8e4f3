-- Values as text: print, write, format, concat, and the makers of formats. What is expected was written by hand, or is
-- what string.format says.
local fastio = require "fastio"
local check = require "check"
local test, equal, raises = check.test, check.equal, check.raises

local function printed(...) return fastio.writer():print(...):value() end
local function written(...) return fastio.writer():write(...):value() end

-- ---- without a format --------------------------------------------------------------------------

test("print: tabs and a newline, as Lua's", function()
  equal(printed(), "\n")
  equal(printed("a"), "a\n")
  equal(printed("a", "b", ""), "a\tb\t\n")
  equal(printed(nil), "nil\n")
  equal(printed(nil, true, false, nil), "nil\ttrue\tfalse\tnil\n")
  equal(printed("x\0y\n"), "x\0y\n\n")
  equal(printed(fastio.null):match("^userdata: ") ~= nil, true)
  local t = {}
  equal(printed(t), tostring(t) .. "\n")
  equal(printed(io.stdout), tostring(io.stdout) .. "\n")
  equal(printed(setmetatable({}, {__tostring = function() return "mine" end}), 1), "mine\t1\n")
  raises("must return a string", printed, setmetatable({}, {__tostring = function() return {} end}))
end)

test("numbers: the shortest digits that read back", function()
  local cases = {
    {0.1, "0.1"}, {1 / 3, "0.3333333333333333"}, {-2.5, "-2.5"}, {1e300, "1e+300"}, {5e-324, "5e-324"},
    {0.1 + 0.2, "0.30000000000000004"}, {math.huge, "inf"}, {-math.huge, "-inf"}, {123456789.125, "123456789.125"},
    {1.7976931348623157e308, "1.7976931348623157e+308"}, {1e-5, "1e-05"}, {0.0001, "0.0001"},
    {12, "12"}, {-7, "-7"}, {2 ^ 70, "1.1805916207174113e+21"},
  }
  for _, case in ipairs(cases) do
    equal(printed(case[1]), case[2] .. "\n")
    equal(written(case[1]), case[2])
    equal(fastio.concat(case[1]), case[2])
    equal(fastio.format(case[1]), case[2])
  end
  equal(printed(0 / 0):match("^%-?nan\n$") ~= nil, true)
  equal(tonumber((written(0.1 + 0.2))), 0.1 + 0.2)
end)

test("integers and floats that are whole", function()
  if check.has_integers then
    equal(printed(1, 1.0, -0.0, 2 ^ 53, math.maxinteger, math.mininteger),
          "1\t1.0\t-0.0\t9007199254740992.0\t9223372036854775807\t-9223372036854775808\n")
  else -- whole numbers are integers, as far as they are exact
    equal(printed(1, 1.0, 2 ^ 53, -2 ^ 53, 1e15), "1\t1\t9007199254740992\t-9007199254740992\t1000000000000000\n")
    equal(printed(2 ^ 54), "1.8014398509481984e+16\n")
    equal(printed(-1 / math.huge), "-0.0\n")
  end
end)

test("write: strings and numbers", function()
  equal(written("a", 1, "b", 2.5), "a1b2.5")
  equal(written(), "")
  local w = fastio.writer()
  equal(w:write("x"):write("y"):print("z"), w)
  raises("bad argument #2 to 'write'", function() w:write("a", {}) end)
end)

if jit then
  test("64-bit integers of the FFI", function()
    local code = assert(loadstring [[
      local ffi = require "ffi"
      return 9223372036854775807LL, -1LL, 18446744073709551615ULL, ffi.new("int64_t", -5), 3i
    ]])
    local big, minus, unsigned, boxed, complex = code()
    equal(printed(big, minus, unsigned, boxed), "9223372036854775807\t-1\t18446744073709551615\t-5\n")
    equal(printed(complex), tostring(complex) .. "\n")
    equal(fastio.format(unsigned, fastio.integer(16)), "ffffffffffffffff")
    equal(fastio.format(minus, fastio.integer {width = 4}), "  -1")
    equal(fastio.format(minus, fastio.fixed(1)), "-1.0")
    local w = fastio.writer()
    w:write_int(unsigned):write(" "):write_int(minus)
    equal(w:value(), "18446744073709551615 -1")
  end)
end

-- ---- own types ---------------------------------------------------------------------------------

local Point = {}
Point.__index = Point
function Point.__fastio_print(self, out)
  out:write("("):write_float(self.x, fastio.fixed(1)):write(", ", self.y, ")")
end
local function point(x, y) return setmetatable({x = x, y = y}, Point) end

test("__fastio_print", function()
  equal(printed("at", point(1, 2)), "at\t(1.0, 2)\n")
  equal(fastio.concat(point(1, 2), point(3, 4)), "(1.0, 2)(3.0, 4)")
  equal(fastio.format(point(1, 2)), "(1.0, 2)")
  equal(fastio.format(point(1, 2), fastio.shortest {width = 10}), "(1.0, 2)  ")
  local nested = setmetatable({}, {__fastio_print = function(_, out) out:print(point(5, 6), "in") end})
  equal(printed(nested), "(5.0, 6)\tin\n\n")
  local kept
  printed(setmetatable({}, {__fastio_print = function(_, out) kept = out end}))
  raises("closed", kept.write, kept, "late")
  raises("closed", printed, setmetatable({}, {__fastio_print = function(_, out) out:close() end}))
  local both = setmetatable({}, {__tostring = function() return "wrong" end,
                                 __fastio_print = function(_, out) out:write("right") end})
  equal(printed(both), "right\n")
end)

-- ---- formats -----------------------------------------------------------------------------------

test("fixed, scientific, general, hexadecimal as C has them", function()
  local values = {0, 1, -1, 0.5, 1.5, jit and 2.3 or 2.5, 0.1, 1 / 3, 2 / 3, 1e10, 1e-10, 123456.789, -99.995, 1e22,
                  5e-324}
  for _, value in ipairs(values) do
    for _, p in ipairs(jit and {1, 2, 6, 17} or {0, 1, 2, 6, 17}) do -- LuaJIT itself rounds halves up
      equal(fastio.format(value, fastio.fixed(p)), ("%." .. p .. "f"):format(value))
      equal(fastio.format(value, fastio.scientific(p)), ("%." .. p .. "e"):format(value))
      equal(fastio.format(value, fastio.general(p)), ("%." .. p .. "g"):format(value))
    end
  end
  equal(fastio.format(2.5, fastio.general(1)), "2")
  local whole = fastio.fixed(0)
  equal({fastio.format(0.5, whole), fastio.format(1.5, whole), fastio.format(2.5, whole)}, {"0", "2", "2"})
  equal(fastio.format(1.5, fastio.hexadecimal()), "0x1.8p+0")
  equal(fastio.format(1.5, "hexadecimal"), "0x1.8p+0")
  equal(fastio.format(1, fastio.hexadecimal(3)), "0x1.000p+0")
  equal(fastio.format(0.1, "shortest"), "0.1")
  equal(fastio.format(1e21, fastio.fixed()), "1000000000000000000000")
  equal(fastio.format(0.25, fastio.scientific()), "2.5e-01")
  equal(fastio.format(12.5, fastio.general {width = 6}), "  12.5")
end)

test("a format of floats takes every number as a float, one of integers as an integer", function()
  equal(fastio.format(3, fastio.fixed(2)), "3.00")
  equal(fastio.format(3.0, fastio.integer()), "3")
  equal(fastio.format(255, fastio.integer(16)), "ff")
  equal(fastio.format("255", fastio.integer(16)), "255") -- a string is text
  raises("no integer representation", fastio.format, 2.5, fastio.integer())
  raises("no integer representation", fastio.format, math.huge, fastio.integer())
end)

test("integers: base, prefix, sign, upper, fill", function()
  local integer = fastio.integer
  equal(fastio.format(255, integer {base = 16, prefix = true, upper = true}), "0XFF")
  equal(fastio.format(5, integer(2, {width = 8, align = "internal"})), "00000101")
  equal(fastio.format(-5, integer {width = 8, align = "internal"}), "-0000005")
  equal(fastio.format(-5, integer {width = 8, fill = "*"}), "******-5")
  equal(fastio.format(5, integer {width = 4, align = "left"}) .. "|", "5   |")
  equal(fastio.format(5, integer {width = 4, align = "center"}) .. "|", " 5  |")
  equal(fastio.format(5, integer {sign = "+"}), "+5")
  equal(fastio.format(5, integer {sign = " "}), " 5")
  equal(fastio.format(35, integer(36)), "z")
end)

test("floats: percent, point, locale", function()
  equal(fastio.format(0.1234, fastio.fixed(1, {percent = true})), "12.3%")
  equal(fastio.format(3, fastio.general(3, {keep_point = true})), "3.00")
  local german = {point = ",", group = ".", grouping = {3}}
  equal(fastio.format(1234567.891, fastio.fixed(2, {locale = german})), "1.234.567,89")
  local indian = {group = ",", grouping = {3, 2}}
  equal(fastio.format(12345678, fastio.integer {locale = indian}), "1,23,45,678")
  equal(fastio.format(1.5, fastio.shortest {width = 6}), "   1.5")
end)

test("text and other values in a field", function()
  equal(fastio.format("ab", fastio.shortest {width = 4}) .. "|", "ab  |")
  equal(fastio.format("ab", fastio.shortest {width = 4, align = "center", fill = "."}), ".ab.")
  equal(fastio.format("ab", fastio.shortest {width = 4, align = "right"}), "  ab")
  equal(fastio.format("\195\164", fastio.shortest {width = 3}), "\195\164  ") -- one letter
  equal(fastio.format(true), "true")
  equal(fastio.format(nil), "nil")
  equal(#fastio.format("x", fastio.shortest {width = 1000}), 1000)
end)

test("a format is a value of its own", function()
  local f = fastio.fixed(2, {width = 8})
  equal(tostring(f), "fastio.fixed(2)")
  equal(tostring(fastio.integer(16)), "fastio.integer(16)")
  equal(tostring(fastio.hexadecimal()), "fastio.hexadecimal()")
  equal(pcall(function() f.width = 9 end), false)
  local locale = {point = ","}
  f = fastio.fixed(1, {locale = locale})
  locale.point = "!"
  equal(fastio.format(1.5, f), "1,5")
  collectgarbage()
  equal(fastio.format(1.5, f), "1,5")
end)

test("misuse of formats", function()
  raises("a number of digits", fastio.fixed, -1)
  raises("a number of digits", fastio.fixed, 1.5)
  raises("a number of digits", fastio.fixed, 100001)
  raises("a number of digits", fastio.scientific, "2")
  raises("a base", fastio.integer, 1)
  raises("a base", fastio.integer, 37)
  raises("unknown option", fastio.fixed, 1, {wdth = 1})
  raises("does not apply", fastio.fixed, 1, {sep = ","})
  raises("'right', 'left', 'center' or 'internal'", fastio.fixed, 1, {align = "up"})
  raises("one byte", fastio.fixed, 1, {fill = "ab"})
  raises("", fastio.fixed, 1, {fill = "\195"})
  raises("a width", fastio.fixed, 1, {width = -1})
  raises("up to 7 bytes", fastio.fixed, 1, {locale = {point = "too long to be"}})
  raises("point, group and grouping", fastio.fixed, 1, {locale = {decimal = ","}})
  raises("a format expected", fastio.format, 1, "fixed")
  raises("a format expected", fastio.format, 1, {})
  raises("value expected", fastio.format)
  local w = fastio.writer()
  raises("a format expected", w.write_int, w, 1, 5)
  raises("an integer expected", w.write_int, w, 1.5)
  raises("an integer expected", w.write_int, w, "x")
  raises("number expected", w.write_float, w, "x")
  equal(w:value(), "")
end)

test("write_int and write_float", function()
  local w = fastio.writer()
  w:write_int(5):write_int(-6):write_int("18446744073709551615"):write_int("-9223372036854775808"):write_int(7.0)
  equal(w:value(), "5-618446744073709551615-92233720368547758087")
  w = fastio.writer()
  w:write_float(1):write(" "):write_float(0.1):write(" "):write_float(2 / 3, fastio.fixed(3)):write(" ")
  w:write_float(1, "hexadecimal"):write(" "):write_int(255, fastio.integer(2))
  equal(w:value(), "1.0 0.1 0.667 0x1p+0 11111111")
end)

test("concat", function()
  equal(fastio.concat(), "")
  equal(fastio.concat("a", 1, nil, true, 0.5), "a1niltrue0.5")
  local many = {}
  for i = 1, 200 do many[i] = i end
  equal(fastio.concat((unpack or table.unpack)(many)), table.concat(many))
end)

check.done()
