-- The generated part: single numbers, version and processor, by the rules of the hand-written part.
local fastio = require "fastio"
local check = require "check"
local test, equal, raises, fails, truthy = check.test, check.equal, check.raises, check.fails, check.truthy

local names = {
  "build_info", "cpu_names", "cpu_select", "cpu_selected", "format_date", "format_float", "format_hex", "format_int",
  "format_time", "format_timestamp", "parse_date", "parse_float", "parse_int", "parse_time", "parse_timestamp", "version",
}
local beyond = "9007199254740993" -- 2^53 + 1
local max, min, unsigned = "9223372036854775807", "-9223372036854775808", "18446744073709551615"

test("one module, no globals", function()
  for _, name in ipairs(names) do equal(type(fastio[name]), "function", name) end
  equal(swig_type, nil)
  equal(swig_equals, nil)
  equal(rawget(_G, "fastio_swig"), nil)
end)

test("integers: every type's limits", function()
  local limits = {
    int8 = {"-128", "127"}, uint8 = {"0", "255"}, int16 = {"-32768", "32767"}, uint16 = {"0", "65535"},
    int32 = {"-2147483648", "2147483647"}, uint32 = {"0", "4294967295"}, int64 = {min, max}, uint64 = {"0", unsigned},
  }
  local outside = {
    int8 = {"-129", "128"}, uint8 = {"-1", "256"}, int16 = {"-32769", "32768"}, uint16 = {"-1", "65536"},
    int32 = {"-2147483649", "2147483648"}, uint32 = {"-1", "4294967296"},
    int64 = {"-9223372036854775809", "9223372036854775808"}, uint64 = {"-1", "18446744073709551616"},
  }
  for dtype, pair in pairs(limits) do
    for _, text in ipairs(pair) do
      local value = fastio.parse_int(text, {dtype = dtype, int64 = "string"})
      equal(tonumber(value), tonumber(text))
      equal(fastio.format_int(value), text)
    end
    for _, text in ipairs(outside[dtype]) do
      local info = fails("out_of_range", "out of range", fastio.parse_int(text, {dtype = dtype}))
      equal(info.offset, 0)
      equal(info.text, text)
    end
  end
end)

test("up to 2^53 is exact everywhere", function()
  equal(fastio.parse_int("9007199254740992"), check.has_integers and math.tointeger(2 ^ 53) or 2 ^ 53)
  equal(fastio.parse_int("-9007199254740992"), check.has_integers and math.tointeger(-2 ^ 53) or -2 ^ 53)
  equal(fastio.format_int(2 ^ 53), "9007199254740992")
  equal(fastio.format_int(-2 ^ 53), "-9007199254740992")
end)

if check.has_integers then
  test("5.3 and later: every int64", function()
    equal(fastio.parse_int(max), math.maxinteger)
    equal(fastio.parse_int(min), math.mininteger)
    equal(fastio.parse_int(beyond), 9007199254740993)
    equal(fastio.parse_int(max, {dtype = "uint64"}), math.maxinteger)
    equal(math.type(fastio.parse_int("5")), "integer")
    equal(fastio.format_int(math.maxinteger), max)
    equal(fastio.format_int(math.mininteger), min)
    raises("integer representation", fastio.format_int, 2.0 ^ 63)
  end)
else
  test("no integers: beyond 2^53 is an error or a string", function()
    for _, text in ipairs {beyond, "-" .. beyond, max, min} do
      equal(fails("out_of_range", "int64", fastio.parse_int(text)).text, text)
      equal(fastio.parse_int(text, {int64 = "string"}), text)
    end
    raises("integer representation", fastio.format_int, 2 ^ 53 + 2)
  end)
end

test("uint64 beyond int64", function()
  fails("out_of_range", "int64", fastio.parse_int(unsigned))
  equal(fastio.parse_int(unsigned, {int64 = "string"}), unsigned)
  equal(fastio.parse_int("9223372036854775808", {int64 = "string"}), "9223372036854775808")
  equal(fastio.format_int(unsigned, {base = 16}), "ffffffffffffffff")
end)

test("cdata on LuaJIT, else refused", function()
  if jit then
    equal(tostring(fastio.parse_int(unsigned, {int64 = "cdata"})), unsigned .. "ULL")
    equal(tostring(fastio.parse_int(min, {int64 = "cdata"})), min .. "LL")
    equal(fastio.parse_int("5", {int64 = "cdata"}), 5)
  else
    raises("LuaJIT", fastio.parse_int, "5", {int64 = "cdata"})
  end
end)

test("bad integers", function()
  for text, offset in pairs {[""] = 0, ["-"] = 1, ["12abc"] = 2, [" 1"] = 0, ["1 "] = 1, ["1\0002"] = 1, ["0x10"] = 1} do
    local info = fails("bad_token", "not an integer", fastio.parse_int(text))
    equal(info.offset, offset)
    equal(info.text, text ~= "" and text or nil)
    equal(info.path, nil)
  end
end)

test("errors are those of the hand-written part", function()
  for _, text in ipairs {"12abc", ("9"):rep(30), ("1"):rep(100) .. "x"} do
    local _, _, code, info = fastio.parse_int(text)
    local _, _, due, by_hand = fastio.read_ints(fastio.data(text))
    equal(code, due)
    equal(info.message:match("not an integer") or info.message:match("integer out of range"),
      by_hand.message:match("not an integer") or by_hand.message:match("integer out of range"))
    equal(info.text, by_hand.text)
    equal(getmetatable(info), getmetatable(by_hand))
  end
end)

test("strict mode raises", function()
  fastio.strict(true)
  local ok, err = pcall(fastio.parse_int, "x")
  fastio.strict(false)
  equal(ok, false)
  equal(err.status, "bad_token")
end)

test("bases", function()
  equal(fastio.parse_int("zz", {base = 36}), 1295)
  equal(fastio.parse_int("-FF", {base = 16}), -255)
  equal(fastio.format_int(-255, {base = 2}), "-11111111")
  for _, base in ipairs {-1, 0, 1, 37, 1e300} do
    raises("base", fastio.parse_int, "1", {base = base})
    raises("base", fastio.format_int, 1, {base = base})
  end
end)

test("floats", function()
  for text, value in pairs {["0.1"] = 0.1, ["-1e-5"] = -1e-5, ["1e400"] = math.huge, ["-inf"] = -math.huge, [".5"] = 0.5} do
    equal(fastio.parse_float(text), value)
  end
  local nan = fastio.parse_float("nan")
  truthy(nan ~= nan)
  equal(1 / fastio.parse_float("-0.0"), -math.huge)
  equal(fastio.format_float(0.1), "0.1")
  equal(fastio.format_float(1e22), "1e+22")
  equal(fastio.format_float(fastio.parse_float("0.1", {dtype = "float32"}), {dtype = "float32"}), "0.1")
  equal(fastio.parse_float("1.000000059604644775390625000000000000001", {dtype = "float32"}), 1 + 2 ^ -23)
  fails("bad_token", "not a number", fastio.parse_float("1e"))
end)

test("hexadecimal digits", function()
  equal(fastio.format_hex(""), "")
  equal(fastio.format_hex("\0\255\n"), "00ff0a")
  equal(fastio.format_hex("\171\205", {upper = true}), "ABCD")
  equal(fastio.format_hex("\171\205", {upper = false}), "abcd")
  equal(#fastio.format_hex(("x"):rep(100001)), 200002)
  raises("unknown option 'lower'", fastio.format_hex, "x", {lower = true})
  raises("table expected", fastio.format_hex, "x", 1)
  raises("string expected", fastio.format_hex, {})
end)

test("dates and times", function()
  equal(fastio.parse_date("2024-02-29"), 19782)
  equal(fastio.format_date(19782), "2024-02-29")
  equal(fastio.parse_time("23:59:59.5"), 86399500000000)
  equal(fastio.format_time(86399500000000), "23:59:59.500")
  equal(fastio.format_timestamp(0), "1970-01-01T00:00:00")
  equal(fastio.format_timestamp(0, true), "1970-01-01T00:00:00Z")
  local early, zone = fastio.parse_timestamp("1970-01-02")
  equal(early, 86400000000000)
  equal(zone, false)
  early, zone = fastio.parse_timestamp("1970-01-01T01:00+01:00", {int64 = "string"})
  equal(early, 0)
  equal(zone, true)
  local last = "2262-04-11T23:47:16.854775807"
  equal(tostring((fastio.parse_timestamp(last, {int64 = "string"}))):gsub("LL$", ""), max)
  equal(fastio.format_timestamp(max), last)
  equal(fastio.format_timestamp(fastio.parse_timestamp(last .. "Z", {int64 = "string"})), last .. "Z")
  if not check.has_integers then fails("out_of_range", "int64", fastio.parse_timestamp(last)) end
  local info = fails("bad_token", "date", fastio.parse_date("2023-02-29"))
  equal(info.offset, 8)
  equal(info.text, "2023-02-29")
  fails("bad_token", "time", fastio.parse_time("24:00"))
  fails("bad_token", "timestamp", fastio.parse_timestamp("2024-02-29T"))
  fails("out_of_range", "timestamp", fastio.parse_timestamp("1600-01-01"))
  raises("years", fastio.format_date, 10000000)
  raises("one day", fastio.format_time, -1)
  raises("nanoseconds", fastio.format_timestamp, unsigned)
  raises("does not apply", fastio.parse_timestamp, "1970-01-01", {base = 16})
  raises("number", fastio.format_date, 1.5)
end)

test("arguments", function()
  raises("expected", fastio.parse_int)
  raises("string expected", fastio.parse_int, {})
  raises("table expected", fastio.parse_int, "ff", 16)
  raises("expected", fastio.parse_int, "1", {}, 3)
  raises("unknown option", fastio.parse_int, "1", {bas = 16})
  raises("does not apply", fastio.parse_int, "1", {sep = ","})
  raises("does not apply", fastio.format_int, 1, {int64 = "string"})
  raises("dtype", fastio.parse_int, "1", {dtype = "float64"})
  raises("dtype", fastio.parse_float, "1", {dtype = "int8"})
  raises("dtype", fastio.parse_int, "1", {dtype = "i8"})
  raises("number", fastio.format_int, 1.5)
  raises("number", fastio.format_int, 0 / 0)
  raises("number", fastio.format_int, math.huge)
  raises("number", fastio.format_int, "1x")
  raises("number", fastio.format_int, "18446744073709551616")
  raises("number", fastio.format_float, {})
  equal(fastio.parse_int("1", nil), 1)
end)

test("processor and build", function()
  local cpu_names = fastio.cpu_names()
  equal(cpu_names[1], "scalar")
  for _, name in ipairs(cpu_names) do
    equal(fastio.cpu_select(name), true)
    equal(fastio.cpu_selected(), name)
    equal(fastio.read_ints(fastio.data "1 2 3"):totable(), {1, 2, 3})
  end
  fails("unsupported", "name", fastio.cpu_select("abacus"))
  equal(fastio.cpu_selected(), cpu_names[#cpu_names])
  equal(fastio.cpu_select("scalar"), true)
  equal(fastio.cpu_select("auto"), true)
  equal(fastio.cpu_selected(), cpu_names[#cpu_names])
  equal("fastio " .. fastio.version(), fastio._VERSION)
  truthy(fastio.build_info():find(fastio.version(), 1, true))
end)

test("nothing leaks", function()
  local function all()
    fastio.parse_int("123")
    fastio.parse_int("x")
    fastio.parse_int(unsigned, {int64 = "string"})
    pcall(fastio.parse_int, {})
    pcall(fastio.parse_int, "1", {base = 99})
    fastio.parse_float("1.5", {dtype = "float32"})
    fastio.format_int(5, {base = 2})
    fastio.format_float(0.5)
    fastio.parse_timestamp("2024-02-29T12:00Z", {int64 = "string"})
    fastio.parse_timestamp("x")
    fastio.format_date(5)
    fastio.cpu_names()
    fastio.cpu_select("abacus")
  end
  for _ = 1, 200 do all() end
  collectgarbage()
  collectgarbage()
  local before = collectgarbage("count")
  for _ = 1, 2000 do all() end
  collectgarbage()
  collectgarbage()
  truthy(collectgarbage("count") - before < 20, "the Lua heap grew")
end)

check.done()
