-- The Lua driver of the shared vectors (see tests/vectors/README.md), for Lua 5.1 to 5.4 and LuaJIT.
-- It turns options into a table and Lua values into text; what is right stands in the vectors.

local fastio = require "fastio"

local directory = arg[1]
local config = {simd = "auto", block = "0", threads = "1", source = "memory", way = "column", sink = "memory"}

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

local tells -- of errors: "raw", with the byte of the archive; or "status", that alone

local function raw_of(info)
  if tells ~= "raw" then return "" end
  return info.raw_offset and string.format("@%.0f", info.raw_offset) or "@-"
end

local function render_place(info)
  if tells == "status" then return "error:" .. info.status .. ":-:0:0:" end
  local offset = info.offset and string.format("%.0f", info.offset) or "-"
  return string.format("error:%s:%s:%.0f:%.0f:%s", info.status, offset, info.lineno or 0, info.colno or 0,
                       to_hex(info.text or ""))
end

local function render_error(info)
  if type(info) ~= "table" then
    assert(tostring(info):find("bad option", 1, true), info)
    return "error:invalid_argument:-:0:0:"
  end
  return render_place(info) .. raw_of(info)
end

-- ---- Requests ----------------------------------------------------------------------------------

local function split(text, separator)
  local parts = {}
  for part in (text .. separator):gmatch("(.-)%" .. separator) do parts[#parts + 1] = part end
  return parts
end

-- ---- Options of tables ----

local function byte_or_false(value) return value ~= "none" and from_hex(value) end

local function texts_from(value)
  local texts = {}
  for item in value:gmatch("[^,]+") do texts[#texts + 1] = from_hex(item:sub(2)) end
  return texts
end

-- n and a name in hex, g and a pattern in hex, or p and a position from 0.
local function column_from(item)
  local is_position = item:sub(1, 1) == "p" or item:sub(1, 1) == "l"
  if is_position then return tonumber(item:sub(2)) + 1 end
  return from_hex(item:sub(2))
end

local function columns_from(value)
  local columns = {}
  for item in value:gmatch("[^|]+") do columns[#columns + 1] = column_from(item) end
  return columns
end

local function by_column(value, value_from)
  local map = {}
  for item in value:gmatch("[^|]+") do
    local key, rest = item:match("^(.-)/(.*)$")
    map[column_from(key)] = value_from(rest)
  end
  return map
end

local function widths_from(value)
  local widths = {}
  for item in value:gmatch("[^,]+") do
    local first, last = item:match("^s(%d+)%-(%d+)$")
    widths[#widths + 1] = first and {tonumber(first) + 1, tonumber(last)} or tonumber(item)
  end
  return widths
end

local function flag(value) return value == "1" end

-- What the callbacks of on_ragged do that vectors can name.
local on_ragged = {
  ["call:drop"] = function() return nil end,
  ["call:join"] = function(fields, expected)
    local out = {}
    for i = 1, expected do out[i] = fields[i] or "?" end
    if #fields > expected then out[expected] = table.concat(fields, "+", expected) end
    return out
  end,
}

local table_parsers = {
  sep = byte_or_false, quote = byte_or_false, escape = byte_or_false, comment = byte_or_false,
  thousands = byte_or_false, decimal = from_hex, header = flag, doublequote = flag,
  comment_anywhere = flag, trim = flag, quoted_null = flag,
  repair_names = flag, percent = flag, unicode_minus = flag, at_record = flag,
  skip_rows = tonumber, max_rows = tonumber, infer_rows = tonumber, batch_rows = tonumber, batch_bytes = tonumber,
  parts = tonumber, bytes = tonumber, first = tonumber, count = tonumber,
  names = texts_from, usecols = columns_from, widths = widths_from,
  dtype = function(value)
    if value:sub(1, 2) == "e/" then return value:sub(3) end
    return by_column(value, function(name) return name end)
  end,
  null_values = function(value)
    return value:find("/", 1, true) and by_column(value, texts_from) or texts_from(value)
  end,
  on_ragged = function(value) return on_ragged[value] or value end,
}

local is_table_op = {read_csv = true, open_csv = true, slice_csv = true, partition = true, sniff = true}

-- ---- Options of the others ----

local function name_or_false(value) return value ~= "none" and value end

local parsers = {
  base = tonumber, skip_lines = tonumber, offset = tonumber, length = tonumber, max_items = tonumber,
  sep = from_hex, comment = from_hex,
  newline = function(value) return (value == "lf" or value == "any") and value or from_hex(value) end,
  keepends = function(value) return value == "1" end,
  encoding = name_or_false, compression = name_or_false,
  max_size = tonumber,
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

local function parser_of(op, key)
  return is_table_op[op] and table_parsers[key] or parsers[key] or function(value) return value end
end

local function parse_options(op, text)
  local options = {}
  for _, item in ipairs(text == "" and {} or split(text, ";")) do
    local key, value = item:match("^(.-)=(.*)$")
    options[key] = parser_of(op, key)(value)
  end
  tells, options.tell = options.tell, nil
  return options
end

-- How much was replaced or left out, if that was allowed.
local function decode_errors(result, options)
  if not options.errors or options.errors == "strict" then return "" end
  local count = result.decode_errors
  if type(count) == "function" then count = count(result) end
  return string.format(" ~%.0f", count)
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
    if not column then return finish(close, render_error(info)) end
    return finish(close, render_column(column, render_of(options)) .. decode_errors(column, options))
  end
end

read_column("read_ints", {int64 = "string"}, function() return render_integer end)
read_column("read_floats", {}, function(o) return o.dtype == "float32" and render_float32 or render_float end)

function ops.read_lines(id, data, options)
  local source, close = source_of(id, data)
  local lines, _, _, info = fastio.read_lines(source, whole(options))
  if not lines then return finish(close, render_error(info)) end
  return finish(close, render_list(lines, #lines, render_string) .. decode_errors(lines, options))
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

-- ---- Tables ----------------------------------------------------------------------------------

local function render_table_error(info)
  if type(info) ~= "table" then -- misuse raises a string
    assert(not info:find("attempt to", 1, true) and not info:find("assertion failed", 1, true), info)
    return "error:invalid_argument:-:0:0::0:0:x"
  end
  local text = render_place(info)
  local name = type(info.field) == "string" and info.field or ""
  local number = type(info.field) == "number" and info.field or name ~= "" and "-" or 0
  return string.format("%s:%.0f:%s:%s%s", text, info.record or 0, number, render_string(name), raw_of(info))
end

local function render_bool(value) return value and "1" or "0" end

local renderers = {float32 = render_float32, float64 = render_float, string = render_string, dictionary = render_string,
                   bool = render_bool}
local is_moment = {date = true, time = true, ["timestamp[ns]"] = true, ["timestamp[ns, UTC]"] = true}

-- Dates and times are text in Lua; their numbers are what is compared, and what the text says is checked in passing.
local function render_moments(column)
  local out = {}
  for i = 1, #column do
    local text = column[i]
    assert(text == nil or type(text) == "string")
    out[i] = text == nil and "null" or render_integer(column:raw(i))
    if column.dtype == "date" and text then assert(fastio.parse_date(text) == column:raw(i)) end
  end
  return "[" .. table.concat(out, " ") .. "]"
end

local function render_table_column(column)
  if is_moment[column.dtype] then return column.dtype .. render_moments(column) end
  return column.dtype .. render_column(column, renderers[column.dtype] or render_integer)
end

local function render_table(t)
  local names, columns = t:names(), {}
  assert(#names == t:column_count())
  for i, name in ipairs(names) do
    local column = t:column(i)
    assert(#column == #t and t:dtypes()[name] == column.dtype)
    columns[i] = render_string(name) .. ":" .. render_table_column(column)
  end
  return string.format("%d{%s}", #t, table.concat(columns, " "))
end

local counts = {"padded", "truncated", "skipped", "replaced", "bad_cells", "blank_lines", "comment_lines"}

local function render_counts(report)
  local out = {}
  for i, name in ipairs(counts) do out[i] = string.format("%.0f", report[name]) end
  return " " .. table.concat(out, "/")
end

local function render_report(report)
  local places = {}
  for i, p in ipairs(report.places) do
    places[i] = string.format("%s/%.0f/%.0f/%.0f/%.0f", p.status, p.offset, p.lineno, p.record, p.field)
  end
  return render_counts(report) .. "[" .. table.concat(places, " ") .. "]"
end

local function take(options, name)
  local value = options[name]
  options[name] = nil
  return value
end

local function table_options(options)
  options.int64 = "string"
  local offset, length, at_record = take(options, "offset"), take(options, "length"), take(options, "at_record")
  if offset or length then options.range = {offset or 0, length, at_record = at_record} end
  return whole(options)
end

function ops.read_csv(id, data, options)
  local source, close = source_of(id, data)
  local t, _, _, info = fastio.read_csv(source, table_options(options))
  if not t then return finish(close, render_table_error(info)) end
  return finish(close, render_table(t) .. render_report(t:report()) .. decode_errors(t, options))
end

function ops.open_csv(id, data, options)
  local source, close = source_of(id, data)
  local batches, sum, answer = {}, {}, nil
  for _, name in ipairs(counts) do sum[name] = 0 end
  local reader, _, _, info = fastio.open_csv(source, table_options(options))
  local ok, failure = pcall(function()
    if not reader then error(info, 0) end
    for t in reader:batches() do
      batches[#batches + 1] = render_table(t)
      local report = t:report()
      for _, name in ipairs(counts) do sum[name] = sum[name] + report[name] end
    end
  end)
  answer = ok and render_counts(sum) or " " .. render_table_error(failure)
  return finish(close, "[" .. table.concat(batches, " ") .. "]" .. answer)
end

function ops.slice_csv(id, data, options)
  local first, count = take(options, "first"), take(options, "count")
  local source, close = source_of(id, data)
  local reader = assert(fastio.open_csv(source, table_options(options)))
  local rows = reader:count()
  local t, _, _, info = reader:slice(first + 1, first + count)
  return finish(close, t and string.format("%.0f ", rows) .. render_table(t) or render_table_error(info))
end

function ops.partition(id, data, options)
  local parts, bytes = take(options, "parts"), take(options, "bytes")
  local source, close = source_of(id, data)
  options.nbytes = bytes
  local ranges, _, _, info = fastio.partition(source, parts, whole(options))
  if not ranges then return finish(close, render_table_error(info)) end
  options.nbytes, options.int64 = nil, "string"
  for i, range in ipairs(ranges) do
    options.range = range
    local t = assert(fastio.read_csv(source, options))
    ranges[i] = string.format("%.0f+%.0f:", range[1], range[2]) .. render_table(t)
  end
  return finish(close, "[" .. table.concat(ranges, " ") .. "]")
end

local function render_byte(value)
  if not value then return "none" end
  return (value == "lf" or value == "any") and value or to_hex(value)
end

-- What sniff proposes is an option of the same name to read_csv.
function ops.sniff(id, data, options)
  local source, close = source_of(id, data)
  local d, _, _, info = fastio.sniff(source, with(options, {}))
  if not d then return finish(close, render_table_error(info)) end
  local t = assert(fastio.read_csv(fastio.data(data), {dialect = d, int64 = "string"}))
  local answer = string.format("sep=%s quote=%s newline=%s comment=%s decimal=%s header=%s skip_lines=%.0f ",
    d.sep and render_string(d.sep) or "none", render_byte(d.quote), render_byte(d.newline), render_byte(d.comment),
    render_byte(d.decimal), render_bool(d.header), d.skip_lines)
  return finish(close, answer .. render_table(t))
end

-- ---- Encodings ----

function ops.transcode(_, data, options)
  local text, _, _, info = fastio.transcode(data, options.from, options.to, {errors = options.errors})
  return text and render_string(text) or render_error(info)
end

function ops.transcode_errors() return "unsupported" end

function ops.utf8_valid(_, data)
  local size = fastio.utf8_valid(data)
  assert(fastio.validate_utf8(data) == (size == #data))
  return render_integer(size)
end

function ops.utf8_count(_, data) return render_integer(fastio.count_utf8(data)) end

function ops.encoding_name(_, data)
  local name = fastio.encoding_name(data)
  return name and render_string(name) or "null"
end

-- ---- Single dates and times ----

local function moment(type_name, value) return type_name .. ":" .. render_integer(value) end

function ops.parse_date(_, data)
  local days, _, _, info = fastio.parse_date(data)
  return days and moment("date", days) or render_error(info)
end

function ops.parse_time(_, data)
  local nanoseconds, _, _, info = fastio.parse_time(data)
  return nanoseconds and moment("time", nanoseconds) or render_error(info)
end

function ops.parse_timestamp(_, data)
  local nanoseconds, has_zone, _, info = fastio.parse_timestamp(data, {int64 = "string"})
  if not nanoseconds then return render_error(info) end
  return moment(has_zone and "timestamp[ns, UTC]" or "timestamp[ns]", nanoseconds)
end

-- ---- What formats and writes (driver_write.lua) ----

local write_ops, unsupported = dofile((arg[0]:gsub("driver%.lua$", "driver_write.lua")))(config, {
  from_hex = from_hex, split = split, float_from = float_from, render_string = render_string,
  render_integer = render_integer, render_error = render_error, render_table_error = render_table_error,
})
is_table_op.write_csv = true

local function run(id, op, options, data)
  if op == "copy" then
    local source, close = source_of(id, data)
    return finish(close, write_ops.copy(source, options))
  end
  local writes = write_ops[op] and (not ops[op] or options:find("format=", 1, true))
  if writes then return write_ops[op](data, options) end
  return ops[op](id, data, parse_options(op, options))
end

-- ---- Main --------------------------------------------------------------------------------------

local function answer(id, op, options, data)
  local ok, text = pcall(run, id, op, options, from_hex(data))
  if ok then return text end
  if text == unsupported then return "unsupported" end
  if type(text) == "string" and write_ops[op] then -- misuse
    text = render_table_error(text)
    return is_table_op[op] and text or text:match("^(.*):0:0:x$")
  end
  return is_table_op[op] and render_table_error(text) or render_error(text)
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
