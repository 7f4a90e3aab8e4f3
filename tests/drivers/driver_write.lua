-- The ops of the Lua driver that format and write.

local fastio = require "fastio"

return function(config, util)
  local from_hex, split, float_from = util.from_hex, util.split, util.float_from

  local unsupported = {} -- raised where the language does not bind it

  -- ---- Values out of text ----------------------------------------------------------------------

  local function single_from(text) return float_from(text, 8, 23, 127) end
  local function double_from(text) return float_from(text, 11, 52, 1023) end
  local float_of = {float32 = single_from, float64 = double_from}

  -- Integers that this Lua can't hold stay strings of digits.
  local function integer_from(text)
    if math.type then return math.tointeger(tonumber(text)) or text end
    local number = tonumber(text)
    return string.format("%.0f", number) == text and math.abs(number) <= 2 ^ 53 and number or text
  end

  local format_moment = {
    date = fastio.format_date, time = fastio.format_time, ["timestamp[ns]"] = fastio.format_timestamp,
    ["timestamp[ns, UTC]"] = function(text) return fastio.format_timestamp(text, true) end,
  }

  -- Dates and times are text in Lua.
  local function value_from(type_name, text)
    if text == "null" then return fastio.null end
    if float_of[type_name] then return text == "nan" and 0 / 0 or float_of[type_name](text) end
    if text:sub(1, 1) == "x" then return from_hex(text:sub(2)) end
    if type_name == "bool" then return text == "1" end
    if format_moment[type_name] then return format_moment[type_name](text) end
    return integer_from(text)
  end

  -- The length of a name such as "timestamp[ns, UTC]" at the start of the text.
  local function type_length(text)
    local at = text:find("[%[:]")
    return text:sub(at, at + 2) == "[ns" and text:find("]", 1, true) or at - 1
  end

  -- The type, the texts of the values, and what follows.
  local function column_from(text)
    local length = type_length(text)
    local items, rest = text:sub(length + 2):match("^(.-)%](.*)$")
    local texts = {}
    for item in items:gmatch("[^ ]+") do texts[#texts + 1] = item end
    return text:sub(1, length), texts, rest
  end

  local function values_of(type_name, texts)
    local values = {}
    for i, text in ipairs(texts) do values[i] = value_from(type_name, text) end
    return values
  end

  local function mixed_from(text)
    local values, count = {}, 0
    text = text:sub(2, -2)
    while text ~= "" do
      local length = type_length(text)
      local type_name, item, rest = text:sub(1, length), text:sub(length + 2):match("^([^ ]*) ?(.*)$")
      count, text = count + 1, rest
      values[count] = value_from(type_name, item)
      -- Where there is but one kind of number, a whole float would be printed as an integer.
      if not math.type and type_name == "float64" then values[count] = fastio.format_float(values[count]) end
    end
    return values, count
  end

  local function table_from(text)
    local columns = {}
    text = text:match("{(.*)$")
    while text ~= "}" do
      local name, rest = text:match("^ ?x(%x*):(.*)$")
      local column = {name = from_hex(name)}
      column.type, column.texts, text = column_from(rest)
      columns[#columns + 1] = column
    end
    return columns
  end

  -- ---- Options ---------------------------------------------------------------------------------

  local function flag(value) return value == "1" end

  local words = {
    precision = function(value) return tonumber(value) end, base = tonumber, width = tonumber,
    sign = from_hex, fill = from_hex, point = from_hex, group = from_hex,
    upper = flag, prefix = flag, percent = flag, keep_point = flag,
    grouping = function(value)
      local sizes = {}
      for i, size in ipairs(split(value, "-")) do sizes[i] = tonumber(size) end
      return sizes
    end,
  }

  local function format_from(text)
    if text == "" then return false end
    local options, locale, notation, number = {}, nil, nil, nil
    for _, word in ipairs(split(text, ",")) do
      local key, value = word:match("^(.-):(.*)$")
      local parsed = (words[key] or tostring)(value)
      if key == "notation" then notation = value
      elseif key == "precision" then number = parsed
      elseif key == "base" then notation, number = "integer", parsed
      elseif key == "point" or key == "group" or key == "grouping" then
        locale = locale or {}
        locale[key] = parsed
      else options[key] = parsed end
    end
    options.locale = locale
    if notation == "shortest" then return fastio.shortest(options) end
    if notation == "integer" then return fastio.integer(number, options) end
    return fastio[notation](number, options)
  end

  local function formats_from(text)
    if not text:find("[|/]") then return format_from(text) end
    local formats = {}
    for i, item in ipairs(split(text, "|")) do
      local name, word = item:match("^n(%x*)/(.*)$")
      if name then formats[from_hex(name)] = format_from(word) else formats[i] = format_from(item) or "shortest" end
    end
    return formats
  end

  local function bytes_or_false(value) return value ~= "none" and from_hex(value) end

  local parsers = {
    format = formats_from, sep = from_hex, ["end"] = from_hex, eol = from_hex, null = from_hex, nan = bytes_or_false,
    ["true"] = from_hex, ["false"] = from_hex, quote = from_hex, escape = bytes_or_false, length = tonumber,
    upper = flag, utc = flag,
    header = function(value)
      if value:sub(1, 1) ~= "x" then return value == "1" end
      local names = split(value, ",")
      for i, name in ipairs(names) do names[i] = from_hex(name:sub(2)) end
      return names
    end,
    shape = function(value)
      local rows, columns = value:match("(.*),(.*)")
      return {tonumber(rows), tonumber(columns)}
    end,
  }

  local function options_from(text)
    local options = {}
    for _, item in ipairs(text == "" and {} or split(text, ";")) do
      local key, value = item:match("^(.-)=(.*)$")
      options[key] = (parsers[key] or tostring)(value)
    end
    return options
  end

  -- ---- Sinks -----------------------------------------------------------------------------------

  local before = "before\n"

  local function read_file(path)
    local file = assert(io.open(path, "rb"))
    local data = file:read("*a")
    file:close()
    os.remove(path)
    return data
  end

  local function write_before(path)
    local file = assert(io.open(path, "wb"))
    file:write(before)
    file:close()
  end

  -- Each gives a writer, and a function that ends it and gives what was written, or nil and the failure.
  local sinks = {}

  local function close_then(writer, take)
    return function()
      local ok, message, code, info = writer:close()
      if not ok then return nil, message, code, info end
      return take()
    end
  end

  function sinks.memory()
    local writer = fastio.writer()
    return writer, function()
      local data = writer:value()
      writer:close()
      return data
    end
  end

  function sinks.object(options)
    local pieces = {}
    local object = {write = function(_, piece) pieces[#pieces + 1] = piece return true end}
    local writer = assert(fastio.open(object, "w", options))
    return writer, close_then(writer, function() return table.concat(pieces) end)
  end

  function sinks.redirect()
    local writer, target = fastio.writer(), fastio.writer()
    writer:redirect(target)
    return writer, function()
      writer:redirect(nil)
      assert(writer:value() == "")
      return target:value()
    end
  end

  function sinks.stdio(options)
    local path = os.tmpname()
    local file = assert(io.open(path, "wb"))
    local writer = assert(fastio.open(file, "w", options))
    return writer, close_then(writer, function()
      file:close()
      return read_file(path)
    end)
  end

  -- Files that are compressed or encoded, and the command that undoes it.
  local packed = {
    gzip = {{compression = "gzip"}, "gzip -dc"}, bgzf = {{compression = "bgzf"}, "bgzip -dc"},
    zlib = {{compression = "zlib"}, "pigz -dcz"}, zstd = {{compression = "zstd"}, "zstd -qdc"},
    xz = {{compression = "xz"}, "xz -dc"}, bzip2 = {{compression = "bzip2"}, "bzip2 -dc"},
    lz4 = {{compression = "lz4"}, "lz4 -qdc"}, ["utf-16"] = {{encoding = "utf-16"}, "iconv -f utf-16 -t utf-8"},
    ["utf-32be"] = {{encoding = "utf-32be"}, "iconv -f utf-32be -t utf-8"},
    ["gb18030+gzip"] = {{encoding = "gb18030", compression = "gzip"}, "gzip -dc | iconv -f gb18030 -t utf-8"},
  }

  local function unpacked(path, command)
    local pipe = assert(io.popen("< '" .. path .. "' " .. command))
    local data = pipe:read("*a")
    pipe:close()
    os.remove(path)
    return data
  end

  local function open_packed(options)
    local path, how = os.tmpname(), packed[config.sink]
    for key, value in pairs(how[1]) do options[key] = value end
    local writer = assert(fastio.open(path, "w", options))
    return writer, close_then(writer, function() return unpacked(path, how[2]) end)
  end

  local function open_file(options)
    local path = os.tmpname()
    write_before(path)
    options.atomic, options.locked = config.sink == "atomic" or nil, config.sink == "locked" or nil
    local mode = config.sink == "append" and "a" or "w"
    local writer = assert(fastio.open(path, mode, options))
    return writer, close_then(writer, function()
      local data = read_file(path)
      if mode == "w" then return data end
      assert(data:sub(1, #before) == before)
      return data:sub(#before + 1)
    end)
  end

  -- ---- Single values ---------------------------------------------------------------------------

  local ops = {}

  local function formatted(value, how, method)
    local writer = fastio.writer()
    assert(writer[method](writer, value, how))
    local text = writer:value()
    -- To format, digits in a string are text, and a notation of floats makes a float of an integer.
    -- Where there is but one kind of number, it tells a float only by its fraction.
    local is_float = method == "write_float" and (math.type or value % 1 ~= 0)
    local is_same = type(value) == "number" and (is_float or tostring(how):find("integer"))
    assert(not is_same or fastio.format(value, how) == text)
    return text
  end

  function ops.format_i64(data, options)
    -- In a notation of floats an integer is one.
    if not tostring(options.format):find("integer") then error(unsupported, 0) end
    return formatted(integer_from(data), options.format, "write_int")
  end
  ops.format_u64 = ops.format_i64
  function ops.format_f64(data, options) return formatted(double_from(data), options.format, "write_float") end

  -- A number of Lua is a double; a column can hold others.
  function ops.format_f32(data, options)
    local text = fastio.format_float(single_from(data), {dtype = "float32"})
    local column = assert(fastio.read_floats(fastio.data(text), {dtype = "float32"}))
    local writer = fastio.writer()
    assert(writer:write_floats(column, {["end"] = "", format = options.format}))
    return writer:value()
  end

  function ops.format_text(data, options) return fastio.format(data, options.format) end
  function ops.format_hex(data, options) return fastio.format_hex(data, options) end
  function ops.format_date(data) return fastio.format_date(data) end
  function ops.format_time(data) return fastio.format_time(data) end
  function ops.format_timestamp(data, options) return fastio.format_timestamp(data, options.utc) end

  -- ---- Writing ---------------------------------------------------------------------------------

  local writes = {}

  function writes.write(writer, text)
    local values, count = mixed_from(text)
    for i = 1, count do
      local ok, message, code, info = writer:write(values[i])
      if not ok then return nil, message, code, info end
    end
    return true
  end

  function writes.print(writer, text, options)
    local values, count = mixed_from(text)
    local unpack = table.unpack or unpack
    if count < 2 and next(options) == nil then return writer:print(unpack(values, 1, count)) end
    local separated = {}
    for i = 1, count do
      if i > 1 then separated[#separated + 1] = options.sep or " " end
      separated[#separated + 1] = fastio.concat(values[i])
    end
    separated[#separated + 1] = options["end"] or "\n"
    return writer:write(unpack(separated))
  end

  local function has_null(texts)
    for _, text in ipairs(texts) do
      if text == "null" then return true end
    end
    return false
  end

  local function rows_of(values, shape)
    local rows = {}
    for row = 1, shape[1] do
      rows[row] = {}
      for column = 1, shape[2] do rows[row][column] = values[(row - 1) * shape[2] + column] end
    end
    return rows
  end

  local function column_of(type_name, texts, shape)
    local words_of = {}
    for i, text in ipairs(texts) do
      words_of[i] = text == "null" and "NULL" or float_of[type_name] and fastio.format_float(value_from(type_name, text))
        or text
    end
    local read = float_of[type_name] and fastio.read_floats or fastio.read_ints
    local options = {dtype = type_name, null_values = {"NULL"}, shape = shape}
    return assert(read(fastio.data(table.concat(words_of, "\n")), options))
  end

  local function write_each(writer, name, type_name, texts, options, shape)
    local method = name == "write_ints" and "write_int" or "write_float"
    local values, columns = values_of(type_name, texts), shape and shape[2] or #texts
    for i, value in ipairs(values) do
      if value == fastio.null then writer:write(options.null)
      else assert(writer[method](writer, value, options.format)) end
      writer:write(i % columns == 0 and (options["end"] or "\n") or options.sep or " ")
    end
    return true
  end

  local function write_array(name)
    return function(writer, text, options)
      local type_name, texts = column_from(text)
      local shape = options.shape
      options.shape = nil
      if type_name == "bool" then error(unsupported, 0) end
      local is_plain = type_name == "int64" or type_name == "float64"
      if config.way == "each" and is_plain and #texts > 0 and type(options.format) ~= "table" then
        return write_each(writer, name, type_name, texts, options, shape)
      end
      options.threads = tonumber(config.threads)
      if config.block ~= "0" then options.block_size = tonumber(config.block) end
      if config.way ~= "column" or not is_plain or (shape and has_null(texts)) then
        return writer[name](writer, column_of(type_name, texts, shape), options)
      end
      local values = values_of(type_name, texts)
      return writer[name](writer, shape and rows_of(values, shape) or values, options)
    end
  end

  writes.write_ints = write_array("write_ints")
  writes.write_floats = write_array("write_floats")

  function writes.write_lines(writer, text, options)
    local type_name, texts = column_from(text)
    if has_null(texts) then error(unsupported, 0) end
    return writer:write_lines(values_of(type_name, texts), options)
  end

  -- ---- Tables ----------------------------------------------------------------------------------

  local function cell(type_name, text)
    if text == "null" then return "NULL" end
    local value = value_from(type_name, text)
    if float_of[type_name] then return fastio.format_float(value) end
    if type_name == "string" or type_name == "dictionary" then return '"' .. value:gsub('"', '""') .. '"' end
    return tostring(value)
  end

  local function build_table(columns, names)
    local lines, types = {}, {}
    for i, column in ipairs(columns) do types[i] = column.type end
    for row = 1, #columns[1].texts do
      local cells = {}
      for i, column in ipairs(columns) do
        local is_integer = not float_of[column.type] and column.type:find("int", 1, true)
        cells[i] = is_integer and column.texts[row]:gsub("null", "NULL") or cell(column.type, column.texts[row])
      end
      lines[row] = table.concat(cells, ",") .. "\n"
    end
    local options = {header = false, names = names, dtype = types, null_values = {"NULL"}}
    return assert(fastio.read_csv(fastio.data(table.concat(lines)), options))
  end

  local function names_of(columns)
    local names = {}
    for i, column in ipairs(columns) do
      if column.name == "" then return nil end
      names[i] = column.name
    end
    return names
  end

  local is_own = {int64 = true, bool = true, string = true, float64 = math.type ~= nil}

  -- Columns of Lua's own values by name, in the order of `names`, if those make the same.
  local function own_columns(columns, names, options)
    local data = {}
    if config.way ~= "rows" or not names or options.format or type(options.header) == "table" then return nil end
    for _, column in ipairs(columns) do
      if not is_own[column.type] then return nil end
      data[column.name] = values_of(column.type, column.texts)
    end
    options.names = names
    return data
  end

  function writes.write_csv(writer, text, options)
    local columns = table_from(text)
    options.threads = tonumber(config.threads)
    if config.block ~= "0" then options.block_size = tonumber(config.block) end
    local has_list = type(options.format) == "table" and #options.format > 0
    if #columns == 0 or (has_list and #options.format < #columns) then error(unsupported, 0) end
    local names = names_of(columns)
    local data = own_columns(columns, names, options)
    if data then return writer:write_csv(data, options) end
    if not names then -- one without a name is renamed
      options.header, names = {}, nil
      for i, column in ipairs(columns) do options.header[i] = column.name end
    end
    return writer:write_csv(build_table(columns, names), options)
  end

  -- ---- Dispatch --------------------------------------------------------------------------------

  local function write_to_sink(write, render_error)
    local options = {}
    if config.block ~= "0" then options.buffer_size = tonumber(config.block) end
    local writer, finish = (sinks[config.sink] or packed[config.sink] and open_packed or open_file)(options)
    local ok, result, _, _, info = pcall(write, writer)
    if not ok then
      writer:close()
      error(result, 0)
    end
    local data = result and finish()
    if data then return data, result end
    writer:close()
    return render_error(info)
  end

  local run = {}

  for name, op in pairs(ops) do
    run[name] = function(data, options) return util.render_string(op(data, options_from(options))) end
  end

  for name, write in pairs(writes) do
    run[name] = function(data, options)
      local parsed = options_from(options)
      local render_error = name == "write_csv" and util.render_table_error or util.render_error
      local written, result = write_to_sink(function(writer) return write(writer, data, parsed) end, render_error)
      return result and util.render_string(written) or written
    end
  end

  function run.copy(source, options)
    local parsed = options_from(options)
    local copied
    local written = write_to_sink(function(writer)
      local count, message, code, info = fastio.copy(source, writer, parsed)
      copied = count
      return count, message, code, info
    end, util.render_error)
    return copied and util.render_integer(copied) .. " " .. util.render_string(written) or written
  end

  return run, unsupported
end
