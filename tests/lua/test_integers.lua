-- Integers at the limits of each Lua: exact, or an error, a string or a cdata as asked for.
local fastio = require "fastio"
local check = require "check"
local test, equal, raises, fails = check.test, check.equal, check.raises, check.fails

local function ints(text, options) return assert(fastio.read_ints(fastio.data(text), options)) end
local function reader(text, options) return assert(fastio.open(fastio.data(text), options)) end

local beyond = "9007199254740993" -- 2^53 + 1
local max, min, unsigned = "9223372036854775807", "-9223372036854775808", "18446744073709551615"

test("up to 2^53 is exact everywhere", function()
  local c = ints("9007199254740992 -9007199254740992 9007199254740991")
  equal(("%.0f"):format(c[1]), "9007199254740992")
  equal(("%.0f"):format(c[2]), "-9007199254740992")
  equal(("%.0f"):format(c[3]), "9007199254740991")
end)

test("small values have the integer type", function()
  local c = ints("1")
  if math.type then
    equal(math.type(c[1]), "integer")
    equal(math.type(c:sum()), "integer")
    equal(math.type(#c), "integer")
    equal(math.type(fastio.count_lines(fastio.data("a"))), "integer")
    equal(math.type(reader("5"):read_int()), "integer")
    equal(math.type(ints("5", {dtype = "uint8"})[1]), "integer")
  end
  equal(tostring(c[1]), "1")
end)

if check.has_integers then
  test("5.3 and later: every int64", function()
    local c = ints(table.concat({beyond, max, min}, " "))
    equal(c[1], math.tointeger(2^53) + 1)
    equal(c[2], math.maxinteger)
    equal(c[3], math.mininteger)
    equal(c:totable(), {9007199254740993, math.maxinteger, math.mininteger})
    equal(ints(max, {dtype = "uint64"})[1], math.maxinteger)
    local r = reader(max .. " " .. min)
    equal(r:read_int(), math.maxinteger)
    equal(r:read_int(), math.mininteger)
    for v in fastio.ints(fastio.data(min)) do equal(v, math.mininteger) end
  end)
else
  test("no integers: beyond 2^53 is an error, or what the option says", function()
    for _, text in ipairs {beyond, "-" .. beyond, max, min} do
      local c = ints("1 " .. text)
      equal(c[1], 1)
      local err = raises("int64", function() return c[2] end)
      equal(err.status, "out_of_range")
      equal(err.text, text)
      raises("int64", function() for _ in c:iter() do end end)
      fails("out_of_range", "int64", c:totable())
      equal(c:totable(1, 1), {1})
      raises("int64", function() for _ in fastio.ints(fastio.data(text)) do end end)
      c = ints("1 " .. text, {int64 = "string"})
      equal(c[1], 1)
      equal(c[2], text)
      equal(c:totable(), {1, text})
      equal(reader(text, {int64 = "string"}):read_int(), text)
      for v in fastio.ints(fastio.data(text), {int64 = "string"}) do equal(v, text) end
    end
    fails("out_of_range", "int64", ints("9007199254740992 1"):sum())
    equal(ints("9007199254740992 1", {int64 = "string"}):sum(), beyond)
    fails("out_of_range", "int64", ints(max):max())
  end)

  test("no integers: the reader stays at the token", function()
    local r = reader(max .. " 7 " .. max .. " 8 9")
    fails("out_of_range", "int64", r:read_int())
    fails("out_of_range", "int64", r:read_int())
    equal(r:skip(), true)
    equal(r:read_int(), 7)
    raises("int64", function() for _ in r:ints() do end end)
    equal(r:skip(), true)
    equal(r:read_int(), 8)
    equal(r:read_int(), 9)
    equal(r:read_int(), nil)
  end)
end

test("uint64 from 2^63 on", function()
  local c = ints("9223372036854775808 " .. unsigned, {dtype = "uint64"})
  raises("int64", function() return c[1] end)
  equal(#c, 2)
  c = ints("9223372036854775808 " .. unsigned, {dtype = "uint64", int64 = "string"})
  equal(c:totable(), {"9223372036854775808", unsigned})
  local r = reader("5 " .. unsigned .. " -1", {dtype = "uint64", int64 = "string"})
  equal(r:read_int(), 5)
  equal(r:read_int(), unsigned)
  fails("out_of_range", "-1", r:read_int())
  local seen = {}
  for v in fastio.ints(fastio.data("1 " .. unsigned), {dtype = "uint64", int64 = "string"}) do seen[#seen + 1] = v end
  equal(seen, {1, unsigned})
end)

test("beyond 64 bits is an error when it is read", function()
  fails("out_of_range", "", fastio.read_ints(fastio.data("9223372036854775808")))
  fails("out_of_range", "", fastio.read_ints(fastio.data("-9223372036854775809")))
  fails("out_of_range", "", fastio.read_ints(fastio.data("18446744073709551616"), {dtype = "uint64"}))
  fails("out_of_range", "", fastio.read_ints(fastio.data(("1"):rep(5000))))
end)

if jit then
  local ffi = require "ffi"
  test("cdata", function()
    local c = ints(max .. " 5", {int64 = "cdata"})
    equal(type(c[1]), "cdata")
    check.truthy(ffi.istype("int64_t", c[1]))
    equal(tostring(c[1]), max .. "LL")
    equal(c[2], 5)
    c = ints(unsigned, {dtype = "uint64", int64 = "cdata"})
    check.truthy(ffi.istype("uint64_t", c[1]))
    equal(tostring(c[1]), unsigned .. "ULL")
    equal(tostring(reader(min, {int64 = "cdata"}):read_int()), min .. "LL")
    equal(tostring(ints(max, {int64 = "cdata"}):sum()), max .. "LL")
  end)

  test("typed pointers", function()
    for _, dtype in ipairs {"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"} do
      local c = ints("1 2 100", {dtype = dtype})
      local p, n = c:pointer()
      equal(n, 3)
      equal(tonumber(p[0] + p[1] + p[2]), 103)
      check.truthy(ffi.istype("const " .. dtype .. "_t *", p))
    end
    local p = assert(fastio.read_floats(fastio.data("1 2.5"))):slice(2):pointer()
    equal(p[0], 2.5)
    p = assert(fastio.read_floats(fastio.data("1 2.5"), {dtype = "float32"})):pointer()
    check.truthy(ffi.istype("const float *", p))
  end)

  test("a pointer keeps its column alive", function()
    local parts = {}
    for i = 1, 100000 do parts[i] = i end
    local p, n = ints(table.concat(parts, " ")):pointer()
    for _ = 1, 20 do
      collectgarbage()
      ints(table.concat(parts, "\n", 1, 1000))
    end
    local sum = 0
    for i = 0, n - 1 do sum = sum + tonumber(p[i]) end
    equal(sum, 100000 * 100001 / 2)
  end)
else
  test("cdata is LuaJIT's alone", function()
    raises("LuaJIT", ints, "1", {int64 = "cdata"})
    local p, n = ints("1 2"):pointer()
    equal(type(p), "userdata")
    equal(n, 2)
  end)
end

test("null", function()
  equal(type(fastio.null), "userdata")
  check.truthy(fastio.null == fastio.null)
end)

check.done()
