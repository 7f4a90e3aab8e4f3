-- A reader's scan, own types that read themselves, failures of their own, and redirection of readers.
local fastio = require "fastio"
local check = require "check"
local test, equal, raises, fails = check.test, check.equal, check.raises, check.fails
local data = fastio.data

local Fraction = {}
Fraction.__index = Fraction
function Fraction.__fastio_scan(class, reader)
  local token, message, code, info = reader:peek_token()
  if not token then return token, message, code, info end
  local numerator, denominator = token:match("^(%d+)/(%d+)$")
  if not numerator then return reader:fail("not a fraction") end
  reader:skip()
  return setmetatable({tonumber(numerator), tonumber(denominator)}, class)
end

test("scan", function()
  local r = fastio.open(data("1 2.5 word the rest\nnext line\n7"))
  equal({r:scan("int", "float", "token")}, {1, 2.5, "word"})
  equal(r:scan("line"), " the rest")
  equal(r:scan("line"), "next line")
  equal({r:scan()}, {})
  equal(r:scan("int"), 7)
  equal({r:scan("int")}, {nil})
  equal(select("#", r:scan("int")), 1)
  raises("invalid option", r.scan, r, "integer")
  raises("__fastio_scan", r.scan, r, {})
  raises("__fastio_scan", r.scan, r, 5)
end)

test("a value that is missing or bad", function()
  local r = fastio.open(data("1 x 2"))
  local info = fails("bad_token", "not an integer: 'x'", r:scan("int", "int"))
  equal({info.offset, info.colno}, {2, 3})
  equal(r:scan("token", "int"), "x")
  r = fastio.open(data("1"))
  equal({r:scan("int", "int")}, {nil})
end)

test("a type that reads itself", function()
  local r = fastio.open(data("3/4 x 1/2"))
  local f, word = r:scan(Fraction, "token")
  equal({f[1], f[2], word}, {3, 4, "x"})
  equal(getmetatable(f), Fraction)
  equal(r:scan(Fraction)[2], 2)
  equal({r:scan(Fraction)}, {nil})
  local class = setmetatable({}, {__fastio_scan = function(_, reader) return "<" .. reader:read_token() .. ">" end})
  equal(fastio.open(data("a")):scan(class), "<a>")
end)

test("a scan that fails says what and where", function()
  local r = fastio.open(data("1\n 3/4 5-6 7"))
  equal({(r:scan("int", Fraction))}, {1})
  local info = fails("bad_token", "line 2, column 6: not a fraction: '5-6'", r:scan(Fraction))
  equal({info.offset, info.lineno, info.colno, info.text, info.status}, {7, 2, 6, "5-6", "bad_token"})
  equal(r:read_token(), "5-6") -- it stays
  raises("mine", r.scan, r, {__fastio_scan = function() error("mine") end})
  equal(r:read_int(), 7)
  fastio.strict(true)
  r = fastio.open(data("x"))
  local ok, err = pcall(r.scan, r, Fraction)
  fastio.strict(false)
  equal({ok, err.text}, {false, "x"})
  raises("string expected", r.fail, r)
end)

test("peek_token", function()
  local r = fastio.open(data(" ab 12"))
  equal({r:peek_token(), r:peek_token(), r:read_token()}, {"ab", "ab", "ab"})
  equal({r:peek_token(), r:read_int()}, {"12", 12})
  equal({r:peek_token()}, {nil})
end)

test("a reader is redirected for a scope, and goes on where it was", function()
  local r = fastio.open(data("1 2 3"))
  equal(r:read_int(), 1)
  equal({r:redirect(data("10 20"), function() return r:read_int(), r:read_int(), r:read_int() end)}, {10, 20, nil})
  equal(r:read_int(), 2)
  raises("mine", r.redirect, r, data("x"), function() error("mine") end)
  equal(r:read_int(), 3)
  equal(r:read_int(), nil)
end)

test("until it is turned back, and nested", function()
  local path = check.file("7 8")
  local r = fastio.open(data("1 2"), {sep = " "})
  equal(r:redirect(path), r)
  equal(r:read_int(), 7)
  equal(r:redirect(data("100"), function() return r:read_int() end), 100)
  equal(r:read_int(), 8)
  equal(r:redirect(nil), r)
  equal({r:read_int(), r:read_int()}, {1, 2})
  equal(r:redirect(nil), r)
  r:redirect(path)
  r:close()
  raises("closed", r.read_int, r)
end)

test("to an object; errors and failures have its name", function()
  local r = fastio.open(data("1 2"))
  local calls = 0
  local object = {read = function() calls = calls + 1 return calls == 1 and "5 6" or nil end}
  equal({r:redirect(object, function() return r:read_int(), r:read_int(), r:read_int() end)}, {5, 6, nil})
  raises("mine", r.redirect, r, {read = function() error("mine") end}, function() r:read_int() end)
  local path = check.file("x")
  local _, message, _, info = r:redirect(path, function() return r:read_int() end)
  equal({message, info.path}, {path .. ":1:1: not an integer: 'x'", path})
  fails(2, "/no/such", r:redirect("/no/such"))
  raises("a path", r.redirect, r, {})
  equal(r:read_int(), 1)
  local outer = fastio.open({read = function() return nil end})
  equal(outer:redirect(object, function() return outer:read_int() end), nil)
  equal(outer:read_int(), nil)
end)

if not check.has_integers then
  test("an integer that this Lua can't hold waits", function()
    local r = fastio.open(data("9007199254740993 5"))
    fails("out_of_range", "", r:read_int())
    equal(r:redirect(data("1"), function() return r:read_int() end), 1)
    fails("out_of_range", "9007199254740993", r:read_int())
    r:skip()
    equal(r:read_int(), 5)
  end)
end

check.done()
