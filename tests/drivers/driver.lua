-- The Lua driver of the shared vectors (see tests/vectors/README.md), for Lua 5.1 to 5.4 and LuaJIT.
-- It turns options into a table and Lua values into text; what is right stands in the vectors.

local fastio = require "fastio"

local directory = arg[1]
local config = {simd = "auto", block = "0", threads = "1", source = "memory", way = "column"}

os.setlocale("")

-- ---- Values as text ----------------------------------------------------------------------------

local byte_of, digits_of = {}, {}
for byte = 0, 255 do
  local digits = string.format("%02x", byte)
  byte_of[digits], digits_of[string.char(byte)] = string.char(byte), digits
end

local function to_hex(text) return (text:gsub(".", digits_of)) end
local function from_hex(text) return (text:gsub("..", byte_of)) end

local function render_string(text) return "x" .. to_hex(text) end

-- Integers that this Lua can't hold come as strings, since every call asks for int64 = "string".
local function render_integer(value)
  if type(value) == "string" then return value end
  if math.type then assert(math.type(value) == "integer", "an integer has become a float") end
  assert(value == math.floor(value))
  return string.format(math.type and "%d" or "%.0f", value)
end

-- Sign, exponent and fraction of a number, as the two halves of its bits: fraction_bits is 52 or 23.
local function float_parts(value, fraction_bits, bias)
  local negative = value < 0 or (value == 0 and 1 / value < 0)
  value = math.abs(value)
  if value == math.huge then return negative, 2 * bias + 1, 0 end
  if value == 0 then return negative, 0, 0 end
  local exponent = bias
  while value >= 2 do value, exponent = value / 2, exponent + 1 end
  while value < 1 and exponent > 1 do value, exponent = value * 2, exponent - 1 end
  if value < 1 then return negative, 0, value * 2 ^ fraction_bits end
  return negative, exponent, (value - 1) * 2 ^ fraction_bits
end

local function render_float(value, single)
  assert(type(value) == "number")
  if math.type then assert(math.type(value) == "float", "a float has become an integer") end
  if value ~= value then return "nan" end
  if single then
    local negative, exponent, fraction = float_parts(value, 23, 127)
    assert(fraction == math.floor(fraction), "not a float32")
    return string.format("%08x", (negative and 2 ^ 31 or 0) + exponent * 2 ^ 23 + fraction)
  end
  local negative, exponent, fraction = float_parts(value, 52, 1023)
  local high = math.floor(fraction / 2 ^ 32)
  return string.format("%08x%08x", (negative and 2 ^ 31 or 0) + exponent * 2 ^ 20 + high, fraction - high * 2 ^ 32)
end

local function render_float32(value) return render_float(value, true) end

local function render_list(values, count, render)
  local out = {}
  for i = 1, count do out[i] = values[i] == nil and "null" or render(values[i]) end
  return "[" .. table.concat(out, " ") .. "]"
end

local function render_column(column, render)
  local values, nulls = {}, 0
  for i = 1, #column do
    values[i] = column[i]
    if values[i] == nil then nulls = nulls + 1 end
  end
  assert(nulls == column.null_count)
  local shape = #column.shape == 2 and string.format("%dx%d", column.shape[1], column.shape[2]) or ""
  return shape .. render_list(values, #column, render)
end

local function render_error(info)
  if type(info) ~= "table" then
    assert(tostring(info):find("bad option", 1, true), info)
    return "error:invalid_argument:-:0:0:"
  end
  local offset = info.offset and string.format("%.0f", info.offset) or "-"
  return string.format("error:%s:%s:%.0f:%.0f:%s", info.status, offset, info.lineno or 0, info.colno or 0,
                       to_hex(info.text or ""))
end

-- ---- Requests ----------------------------------------------------------------------------------

local function split(text, separator)
  local parts = {}
  for part in (text .. separator):gmatch("(.-)%" .. separator) do parts[#parts + 1] = part end
  return parts
end

local parsers = {
  base = tonumber, skip_lines = tonumber, offset = tonumber, length = tonumber, max_items = tonumber,
  sep = from_hex, comment = from_hex,
  newline = function(value) return (value == "lf" or value == "any") and value or from_hex(value) end,
  keepends = function(value) return value == "1" end,
  encoding = function(value) return value == "none" and "binary" or value end,
  null_values = function(value)
    local texts = split(value, ",")
    for i = 1, #texts do texts[i] = from_hex(texts[i]:sub(2)) end
    return texts
  end,
  shape = function(value)
    local rows, items = value:match("(.*),(.*)")
    return {tonumber(rows), tonumber(items)}
  end,
}

local function parse_options(text)
  local options = {}
  for _, item in ipairs(text == "" and {} or split(text, ";")) do
    local key, value = item:match("^(.-)=(.*)$")
    options[key] = parsers[key] and parsers[key](value) or value
  end
  return options
end

local function with(options, more)
  for key, value in pairs(more) do options[key] = value end
  if config.block ~= "0" then options.block_size = tonumber(config.block) end
  return options
end

local function whole(options) return with(options, {threads = tonumber(config.threads)}) end

-- An object that gives 1, 2, 3 ... 7, 1, 2 ... bytes at a time.
local function dribble(data)
  local calls, at = 0, 1
  return {read = function(_, most)
    calls = calls + 1
    local piece = data:sub(at, at + math.min(calls % 7, most - 1))
    at = at + #piece
    return piece
  end}
end

local function source_of(id, data)
  if config.source == "memory" then return fastio.data(data) end
  if config.source == "object" then return dribble(data) end
  local path = directory .. "/" .. id
  if config.source == "file" then return path end
  local pipe = assert(io.popen("cat '" .. path .. "' 2>/dev/null"))
  return pipe, function() pipe:close() end
end

-- ---- Operations --------------------------------------------------------------------------------

local ops = {}

local function parse(dtype)
  return function(_, data, options)
    local value, _, _, info = fastio.parse_int(data, {dtype = dtype, base = options.base, int64 = "string"})
    return value and render_integer(value) or render_error(info)
  end
end

for _, bits in ipairs {8, 16, 32, 64} do
  ops["parse_i" .. bits] = parse("int" .. bits)
  ops["parse_u" .. bits] = parse("uint" .. bits)
end

function ops.parse_f64(_, data)
  local value, _, _, info = fastio.parse_float(data)
  return value and render_float(value) or render_error(info)
end

function ops.parse_f32(_, data)
  local value, _, _, info = fastio.parse_float(data, {dtype = "float32"})
  return value and render_float32(value) or render_error(info)
end

function ops.format_i64(_, data, options) return render_string(fastio.format_int(data, {base = options.base})) end
ops.format_u64 = ops.format_i64

local function float_from(data, exponent_bits, fraction_bits, bias)
  local sign_and_exponent_digits = (1 + exponent_bits) -- bits
  local high = tonumber(data:sub(1, 8), 16)
  local low = #data == 16 and tonumber(data:sub(9), 16) or 0
  local unit = 2 ^ (32 - sign_and_exponent_digits)
  local negative = high >= 2 ^ 31
  local exponent = math.floor(high / unit) % 2 ^ exponent_bits
  local fraction = high % unit
  if #data == 16 then fraction = fraction * 2 ^ 32 + low end
  local value
  if exponent == 2 ^ exponent_bits - 1 then value = fraction == 0 and math.huge or 0 / 0
  elseif exponent == 0 then value = fraction * 2 ^ -fraction_bits * 2 ^ (1 - bias)
  else value = (1 + fraction * 2 ^ -fraction_bits) * 2 ^ (exponent - bias) end
  return negative and -value or value + 0.0
end

function ops.format_f64(_, data) return render_string(fastio.format_float(float_from(data, 11, 52, 1023))) end
function ops.format_f32(_, data)
  return render_string(fastio.format_float(float_from(data, 8, 23, 127), {dtype = "float32"}))
end

local function finish(close, answer)
  if close then close() end
  return answer
end

local function read_column(name, more, render_of)
  ops[name] = function(id, data, options)
    local source, close = source_of(id, data)
    local column, _, _, info = fastio[name](source, whole(with(options, more)))
    return finish(close, column and render_column(column, render_of(options)) or render_error(info))
  end
end

read_column("read_ints", {int64 = "string"}, function() return render_integer end)
read_column("read_floats", {}, function(o) return o.dtype == "float32" and render_float32 or render_float end)

function ops.read_lines(id, data, options)
  local source, close = source_of(id, data)
  local lines, _, _, info = fastio.read_lines(source, whole(options))
  if not lines then return finish(close, render_error(info)) end
  return finish(close, render_list(lines, #lines, render_string))
end

function ops.count_lines(id, data, options)
  local source, close = source_of(id, data)
  local count, _, _, info = fastio.count_lines(source, whole(options))
  return finish(close, count and render_integer(count) or render_error(info))
end

function ops.read_bytes(id, data, options)
  local source, close = source_of(id, data)
  local bytes, _, _, info = fastio.read_bytes(source, whole(options))
  return finish(close, bytes and render_string(bytes:sub(1, #bytes)) or render_error(info))
end

-- Runs a for loop over what `iterator` gives; what it raises comes behind the values.
local function iterate(id, data, options, render, iterator)
  local source, close = source_of(id, data)
  local values = {}
  local ok, info = pcall(function()
    for value in iterator(source, with(options, {})) do values[#values + 1] = value end
  end)
  local list = render_list(values, #values, render)
  return finish(close, ok and list or list .. " " .. render_error(info))
end

function ops.iter_ints(id, data, options)
  options.int64 = "string"
  return iterate(id, data, options, render_integer, fastio.ints)
end
function ops.iter_floats(id, data, options) return iterate(id, data, options, render_float, fastio.floats) end
function ops.iter_lines(id, data, options) return iterate(id, data, options, render_string, fastio.lines) end
function ops.iter_tokens(id, data, options)
  return iterate(id, data, options, render_string, function(source, given) return fastio.open(source, given):tokens() end)
end

local steps = {
  int = {"read_int", render_integer}, float = {"read_float", render_float}, token = {"read_token", render_string},
  line = {"read_line", render_string}, offset = {"offset", render_integer}, lineno = {"lineno", render_integer},
  expect = {"expect", function() return "ok" end}, skip = {"skip", function() return "ok" end},
}

local function run_step(reader, step)
  local word, argument = step:match("^(%a+%d*):?(.*)$")
  local method, render = steps[word][1], steps[word][2]
  local value, _, _, info = reader[method](reader, word == "expect" and from_hex(argument) or nil)
  if value ~= nil then return render(value) end
  return info and render_error(info) or "end"
end

function ops.reader(id, data, options)
  local script = split(options.script, " ")
  options.script, options.int64 = nil, "string"
  for _, step in ipairs(script) do
    if not steps[step:match("^%a+%d*")] then return "unsupported" end
  end
  local source, close = source_of(id, data)
  local reader, _, _, failure = fastio.open(source, with(options, {}))
  if not reader then return finish(close, render_error(failure)) end
  local out = {}
  for i, step in ipairs(script) do out[i] = run_step(reader, step) end
  reader:close()
  return finish(close, table.concat(out, " "))
end

-- ---- Main --------------------------------------------------------------------------------------

local function answer(id, op, options, data)
  local ok, text = pcall(ops[op], id, from_hex(data), parse_options(options))
  if ok then return text end
  return render_error(text)
end

for line in io.lines() do
  if line:sub(1, 1) == "!" then
    for _, item in ipairs(split(line:sub(2), ";")) do
      local key, value = item:match("^(.-)=(.*)$")
      config[key] = value
    end
    assert(fastio.cpu_select(config.simd))
  else
    local id, op, options, data = line:match("^(.-)\t(.-)\t(.-)\t(.*)$")
    io.write(id, "\t", answer(id, op, options, data), "\n")
  end
end
