-- The pull reader, one value at a time.
local fastio = require "fastio"
local check = require "check"
local test, equal, raises, fails = check.test, check.equal, check.raises, check.fails

local function open(text, options) return assert(fastio.open(fastio.data(text), options)) end

test("a mixture", function()
  local r = open("3 apples\n4 n/a 5\nrest of it\n\nlast")
  equal(r:read_int(), 3)
  equal(r:read_token(), "apples")
  equal(r:read_int(), 4)
  fails("bad_token", "n/a", r:read_int())
  equal(r:skip(), true)
  equal(r:read_float(), 5.0)
  equal(r:read_line(), "")
  equal(r:lineno(), 3)
  equal(r:read_line(), "rest of it")
  equal(r:read_line(), "")
  equal(r:read_line(), "last")
  for _, method in ipairs {"read_int", "read_float", "read_token", "read_line", "skip"} do
    local count = select("#", r[method](r))
    equal(count, 1, method)
    equal(r[method](r), nil, method)
  end
  equal(select("#", r:expect("x")), 1)
  equal(r:offset(), #"3 apples\n4 n/a 5\nrest of it\n\nlast")
end)

test("a bad token can be read otherwise", function()
  local r = open("1.5 2x 300")
  fails("bad_token", "1.5", r:read_int())
  equal(r:read_float(), 1.5)
  fails("bad_token", "2x", r:read_float())
  equal(r:read_token(), "2x")
  equal(r:read_int(), 300)
end)

test("expect", function()
  local r = open("key : value")
  equal(r:expect("key"), true)
  fails("mismatch", "", r:expect("="))
  equal(r:expect(":"), true)
  equal(r:expect(" val"), true)
  equal(r:read_token(), "ue")
  raises("string", r.expect, r)
end)

test("iterators leave the reader where they stop", function()
  local r = open("1 2 3 x 4.5 y\nline one\nline two\nz")
  for v in r:ints() do
    if v == 2 then break end
  end
  equal(r:read_int(), 3)
  raises("x", r:ints())
  equal(r:read_token(), "x")
  local step = r:floats()
  equal(step(), 4.5)
  raises("y", step)
  equal(r:read_token(), "y")
  equal(r:read_line(), "")
  for line in r:lines() do
    equal(line, "line one")
    break
  end
  local seen = {}
  for token in r:tokens() do seen[#seen + 1] = token end
  equal(seen, {"line", "two", "z"})
  equal(r:tokens()(), nil)
end)

test("offset and line", function()
  local r = open("ab cd\n\nef")
  equal({r:offset(), r:lineno()}, {0, 1})
  r:read_token()
  equal({r:offset(), r:lineno()}, {2, 1})
  r:read_token()
  equal({r:offset(), r:lineno()}, {5, 1})
  r:read_token()
  equal({r:offset(), r:lineno()}, {9, 3})
end)

test("closed", function()
  local r = open("1 2")
  local step = r:ints()
  equal(step(), 1)
  equal(tostring(r), "fastio.Reader")
  r:close()
  r:close()
  equal(tostring(r), "fastio.Reader (closed)")
  for _, method in ipairs {"read_int", "read_line", "skip", "ints", "offset", "lineno"} do
    raises("closed", r[method], r)
  end
  raises("closed", r.expect, r, "x")
  raises("closed", step)
  raises("expected", r.read_int, io.stdout)
  raises("expected", r.close, {})
end)

test("uint64", function()
  local r = open("5 -5", {dtype = "uint64"})
  equal(r:read_int(), 5)
  fails("out_of_range", "-5", r:read_int())
end)

test("a line longer than any buffer", function()
  local long = ("0123456789"):rep(300000)
  local r = open("a\n" .. long .. "\nb")
  equal(r:read_line(), "a")
  check.truthy(r:read_line() == long)
  equal(r:read_line(), "b")
  local seen = 0
  for line in fastio.lines(fastio.data(long .. "\n" .. long)) do seen = seen + #line end
  equal(seen, 6000000)
end)

test("more lines than a batch", function()
  local parts = {}
  for i = 1, 5000 do parts[i] = ("%d:%s"):format(i, ("y"):rep(i % 50)) end
  for _, size in ipairs {1000, 1000000} do
    local i = 0
    for line in fastio.lines(fastio.data(table.concat(parts, "\n")), {block_size = size}) do
      i = i + 1
      if line ~= parts[i] then error("line " .. i .. " is " .. line) end
    end
    equal(i, 5000)
  end
end)

check.done()
