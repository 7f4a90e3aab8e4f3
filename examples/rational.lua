-- A type of one's own that prints and scans itself: adds up the fractions of standard input.
-- Try it:  echo '1/2 1/3 -1/6' | ./dev lua examples/rational.lua
local fastio = require "fastio"
fastio.strict(true) -- failures raise

local Fraction = {}
Fraction.__index = Fraction

local function divisor(a, b) return b == 0 and math.abs(a) or divisor(b, math.fmod(a, b)) end

local function fraction(numerator, denominator)
  local d = divisor(numerator, denominator)
  if denominator < 0 then d = -d end
  local integer = math.tointeger or function(x) return x end -- Lua 5.3 has two kinds of numbers
  return setmetatable({numerator = integer(numerator / d), denominator = integer(denominator / d)}, Fraction)
end

function Fraction.__add(a, b)
  return fraction(a.numerator * b.denominator + b.numerator * a.denominator, a.denominator * b.denominator)
end

-- What print and concat call.
function Fraction:__fastio_print(writer)
  writer:write_int(self.numerator)
  if self.denominator ~= 1 then writer:write("/"):write_int(self.denominator) end
end

-- What reader:scan(Fraction) calls. It reads one token, which stays if it is none; the failure tells it. nil is the end.
function Fraction.__fastio_scan(_, reader)
  local token = reader:peek_token()
  if not token then return nil end
  local numerator, denominator = token:match("^([+-]?%d+)/([+-]?%d+)$")
  numerator, denominator = tonumber(numerator or token:match("^[+-]?%d+$")), tonumber(denominator or 1)
  if not numerator then return reader:fail("not a fraction") end
  if denominator == 0 then return reader:fail("the denominator is 0") end
  reader:skip()
  return fraction(numerator, denominator)
end

local function add_all()
  local reader, writer = fastio.open("-"), fastio.open("-", "w")
  local total, count = fraction(0, 1), 0
  while true do
    local next = reader:scan(Fraction)
    if not next then break end
    total, count = total + next, count + 1
  end
  local decimals = fastio.format(total.numerator / total.denominator, fastio.fixed(6))
  writer:write(fastio.concat(count, " fractions, sum ", total, " = ", decimals, "\n"))
  writer:close() -- the one that tells whether everything was written
end

local ok, failure = pcall(add_all)
if not ok then
  local EPIPE = 32 -- the reader of our output has enough: as if SIGPIPE had ended us
  if type(failure) == "table" and failure.errno == EPIPE then os.exit(141) end
  io.stderr:write("rational.lua: ", tostring(failure), "\n")
  os.exit(1)
end
