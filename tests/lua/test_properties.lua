-- Against Lua's own tonumber, string patterns and io, on inputs made from a fixed seed.
local fastio = require "fastio"
local check = require "check"
local test, equal = check.test, check.equal

-- The same sequence in every Lua: a linear congruential generator below 2^31.
local state = 20240229
local function random(n)
  state = (state * 1103515245 % 2147483648 + 12345) % 2147483648
  return math.floor(state / 2147483648 * n) + 1
end

local function pick(list) return list[random(#list)] end

local function digits(n)
  local parts = {}
  for i = 1, n do parts[i] = random(10) - 1 end
  return table.concat(parts)
end

local blanks = {" ", "\n", "\t", "\r\n", "  ", " \n ", "\v", "\f"}

test("integers against tonumber", function()
  for _ = 1, 60 do
    local parts, expected = {}, {}
    for i = 1, random(200) do
      local text = pick {"", "-", "+"} .. digits(random(15))
      expected[i] = tonumber((text:gsub("^%+", "")))
      parts[i] = text .. pick(blanks)
    end
    local text, options = table.concat(parts), {threads = random(3), block_size = random(300)}
    equal(assert(fastio.read_ints(fastio.data(text), options)):totable(), expected)
    local seen = {}
    for v in fastio.ints(fastio.data(text), {block_size = random(50)}) do seen[#seen + 1] = v end
    equal(seen, expected)
    local reader = assert(fastio.open(fastio.data(text), {block_size = random(50)}))
    for i = 1, #expected do equal(reader:read_int(), expected[i]) end
    equal(reader:read_int(), nil)
  end
end)

test("floats against tonumber", function()
  for _ = 1, 60 do
    local parts, expected = {}, {}
    for i = 1, random(200) do
      local exponent = pick {"", "e" .. random(300), "e-" .. random(300), "E+5"}
      local text = pick {"", "-"} .. digits(random(18)) .. "." .. digits(random(18)) .. exponent
      expected[i] = tonumber(text)
      parts[i] = text .. pick(blanks)
    end
    local text = table.concat(parts)
    local column = assert(fastio.read_floats(fastio.data(text), {threads = random(3), block_size = random(300)}))
    equal(#column, #expected)
    for i = 1, #expected do
      if column[i] ~= expected[i] then
        error(("%s is %.17g, tonumber says %.17g"):format(parts[i], column[i], expected[i]))
      end
    end
  end
end)

test("lines against a pattern", function()
  local pieces = {"a", "bc", "\0", "\r", "\n", "\n", "\r\n", " ", "\195\169", ("x"):rep(70)}
  for _ = 1, 200 do
    local parts = {}
    for i = 1, random(60) do parts[i] = pick(pieces) end
    local text, expected = table.concat(parts), {}
    for line, ending in (text .. (text:find("\n$") and "" or "\n")):gmatch("([^\n]*)(\n)") do
      expected[#expected + 1] = (line:gsub("\r$", ""))
    end
    -- a last line without newline keeps its \r: there is no newline that it could belong to
    if not text:find("\n$") then expected[#expected] = text:match("[^\n]*$") end
    local column = assert(fastio.read_lines(fastio.data(text), {threads = random(3), block_size = random(100)}))
    equal(column:totable(), expected)
    local seen = {}
    for line in fastio.lines(fastio.data(text), {block_size = random(100)}) do seen[#seen + 1] = line end
    equal(seen, expected)
    equal(fastio.count_lines(fastio.data(text), {threads = random(3), block_size = random(100)}), #expected)
  end
end)

test("lines of files against io.lines", function()
  for _, path in ipairs {"/etc/passwd", "/etc/services", "/etc/os-release"} do
    local file = io.open(path)
    if file then
      file:close()
      local step = fastio.lines(path)
      for line in io.lines(path) do equal(step(), line) end
      equal(step(), nil)
    end
  end
end)

test("slices against tables", function()
  local list = {}
  for i = 1, 50 do list[i] = i * i end
  local column = assert(fastio.read_ints(fastio.data(table.concat(list, " "))))
  for _ = 1, 500 do
    local i, j = random(121) - 61, random(121) - 61
    -- in place of string.sub, whose compiled form in LuaJIT 2.1.0-beta3 is wrong for some negative indices
    local first, last = i, j
    if i < 0 then first = math.max(51 + i, 1) elseif i == 0 then first = 1 end
    if j < 0 then last = 51 + j elseif j > 50 then last = 50 end
    local slice, copy = column:slice(i, j), column:totable(i, j)
    equal(#slice, math.max(last - first + 1, 0))
    equal(#copy, #slice)
    for k = 1, #slice do check.truthy(slice[k] == (first + k - 1) ^ 2 and copy[k] == slice[k]) end
  end
end)

test("find against string.find", function()
  for _ = 1, 500 do
    local parts = {}
    for i = 1, random(40) do parts[i] = pick {"a", "b", "ab", "\0"} end
    local text, what, init = table.concat(parts), digits(0), random(50) - 20
    for _ = 1, random(3) do what = what .. pick {"a", "b", "\0"} end
    local bytes = assert(fastio.read_bytes(fastio.data(text)))
    equal({bytes:find(what, init)}, {text:find(what, init, true)})
  end
end)

check.done()
