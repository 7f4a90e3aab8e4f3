-- Encodings of sources and destinations. The bytes are written down by hand.
local fastio = require "fastio"
local check = require "check"
local test, equal, truthy, raises, fails = check.test, check.equal, check.truthy, check.raises, check.fails
local data = fastio.data

-- "1,Köln\n2,€\n" in each encoding.
local UTF8 = "1,K\195\182ln\n2,\226\130\172\n"
local function wide(text, before, after)
  return (text:gsub(".", function(c) return before .. c .. after end))
end
local LE = wide("1,K", "", "\0") .. "\246\0" .. wide("ln\n2,", "", "\0") .. "\172\32" .. "\n\0"
local BE = wide("1,K", "\0", "") .. "\0\246" .. wide("ln\n2,", "\0", "") .. "\32\172" .. "\0\n"
local LE4 = wide("1,K", "", "\0\0\0") .. "\246\0\0\0" .. wide("ln\n2,", "", "\0\0\0") .. "\172\32\0\0" .. "\n\0\0\0"
local CP1252 = "1,K\246ln\n2,\128\n"
local given = {
  ["utf-8"] = UTF8, ["utf-16le"] = LE, ["UTF-16BE"] = BE, utf_32_le = LE4, cp1252 = CP1252,
}

local function slurp(path)
  local file = assert(io.open(path, "rb"))
  local bytes = file:read("*a")
  file:close()
  return bytes
end

local function object_of(bytes, step)
  local at = 1
  return {read = function()
    local piece = bytes:sub(at, at + step - 1)
    at = at + step
    return piece
  end}
end

local function lines_of(source, options)
  local lines = {}
  for line in fastio.lines(source, options) do lines[#lines + 1] = line end
  return lines
end

for name, bytes in pairs(given) do
  test("reading " .. name, function()
    local options, expected = {encoding = name}, {"1,K\195\182ln", "2,\226\130\172"}
    local path = check.file(bytes)
    for _, make in ipairs {function() return path end, function() return data(bytes) end,
                           function() return object_of(bytes, 1) end, function() return object_of(bytes, 3) end} do
      equal(assert(fastio.read_lines(make(), options)):totable(), expected)
      equal(lines_of(make(), options), expected)
      equal(assert(fastio.count_lines(make(), options)), 2)
      local t = assert(fastio.read_csv(make(), {encoding = name, header = false, names = {"n", "t"}}))
      equal(t.n:totable(), {1, 2})
      equal(t.t:totable(), {"K\195\182ln", "\226\130\172"})
      equal(t:decode_errors(), 0)
      local reader = assert(fastio.open(make(), options))
      equal({reader:read_line(), reader:read_line(), reader:read_line()}, expected)
      equal(reader:decode_errors(), 0)
      reader:close()
    end
  end)

  test("writing " .. name, function()
    local path = check.file("")
    local writer = assert(fastio.open(path, "w", {encoding = name}))
    for at = 1, #UTF8 do writer:write(UTF8:sub(at, at)) end -- characters may come in pieces
    assert(writer:close())
    equal(slurp(path), bytes)
    assert(fastio.write_csv(path, {{1, "K\195\182ln"}, {2, "\226\130\172"}}, {encoding = name}))
    equal(slurp(path), bytes)
    local parts = {}
    assert(fastio.write_lines({write = function(_, piece) parts[#parts + 1] = piece return true end},
                              {"1,K\195\182ln", "2,\226\130\172"}, {encoding = name}))
    equal(table.concat(parts), bytes)
  end)

  test("transcoding " .. name, function()
    equal(assert(fastio.transcode(bytes, name)), UTF8)
    equal(assert(fastio.transcode(bytes, name, "utf-8")), UTF8)
    equal(assert(fastio.transcode(UTF8, "utf-8", name)), bytes)
    equal(assert(fastio.transcode(bytes, name, "utf-16be")), BE)
    local path = check.file("")
    assert(fastio.copy(data(bytes), path, {source_encoding = name, encoding = "utf-16le"}))
    equal(slurp(path), LE)
  end)
end

test("numbers", function()
  equal(assert(fastio.read_ints(data(wide("12 -3\n", "", "\0")), {encoding = "utf-16le"})):totable(), {12, -3})
  equal(assert(fastio.read_floats(data(wide("1.5\n", "\0", "")), {encoding = "utf-16be"})):totable(), {1.5})
  local values = {}
  for value in fastio.ints(data(wide("1 2", "\0", "")), {encoding = "utf-16be"}) do values[#values + 1] = value end
  equal(values, {1, 2})
end)

test("byte order marks", function()
  for _, marked in ipairs {"\255\254" .. LE, "\254\255" .. BE, "\255\254\0\0" .. LE4, "\239\187\191" .. UTF8, UTF8} do
    for _, options in ipairs {{}, {encoding = "utf-8"}} do
      equal(assert(fastio.read_lines(data(marked), options))[1], "1,K\195\182ln")
      equal(lines_of(object_of(marked, 1), options)[2], "2,\226\130\172")
      equal(assert(fastio.open_csv(data(marked), {header = false})):next():column(2)[1], "K\195\182ln")
    end
  end
  for _, none in ipairs {false, "binary"} do
    equal(assert(fastio.read_lines(data("\239\187\191a\n\255"), {encoding = none})):totable(), {"\239\187\191a", "\255"})
  end
  equal(assert(fastio.read_bytes(data("\255\254" .. LE))):sub(), "\255\254" .. LE)
  local path = check.file("")
  assert(fastio.write_lines(path, {"K\195\182"}, {encoding = "utf-16"}))
  local bytes = slurp(path)
  truthy(bytes == "\255\254K\0\246\0\n\0" or bytes == "\254\255\0K\0\246\0\n")
  equal(assert(fastio.read_lines(path)):totable(), {"K\195\182"})
end)

test("what is not valid", function()
  local bad = "a\nb\255\254c\n\226\130\n"
  local info = fails("bad_encoding", "", fastio.read_lines(data(bad)))
  equal(info.offset, 3)
  equal(info.lineno, 2)
  fails("bad_encoding", "", fastio.read_lines(data(bad), {errors = "strict"}))
  local mark = "\239\191\189"
  local replaced = assert(fastio.read_lines(data(bad), {errors = "replace"}))
  equal(replaced:totable(), {"a", "b" .. mark .. mark .. "c", mark})
  equal(replaced.decode_errors, 3)
  local skipped = assert(fastio.read_lines(data(bad), {errors = "skip"}))
  equal(skipped:totable(), {"a", "bc", ""})
  equal(skipped.decode_errors, 3)
  equal(assert(fastio.read_lines(data("a\n"))).decode_errors, 0)
  equal(assert(fastio.read_ints(data("1 \2552"), {errors = "skip"})).decode_errors, 1)
  local t = assert(fastio.read_csv(data("x,y\n1,\255\n2,b\n"), {errors = "replace"}))
  equal(t.y:totable(), {mark, "b"})
  equal(t:decode_errors(), 1)
  local reader = assert(fastio.open(data(bad), {errors = "replace"}))
  for _ in reader:lines() do end
  equal(reader:decode_errors(), 3)
  reader:close()
  raises("closed", reader.decode_errors, reader)
  local batches = assert(fastio.open_csv(data("x\n\255\n\254\n"), {errors = "skip", blank_lines = "record", batch_rows = 1}))
  local rows = 0
  for batch in batches:batches() do rows = rows + #batch end
  equal(rows, 2)
  equal(batches:decode_errors(), 2)
  local err = raises("", function() lines_of(data(bad)) end)
  equal(err.status, "bad_encoding")
  equal(err.offset, 3)
end)

test("offsets are those of the file", function()
  local info = fails("bad_token", "x", fastio.read_ints(data("\255\254" .. wide("1 2\n3 x\n", "", "\0"))))
  equal(info.offset, 2 + 2 * 6)
  equal(info.lineno, 2)
  equal(info.colno, 3)
  info = fails("bad_encoding", "", fastio.read_lines(data(wide("ab\n", "", "\0") .. "\0\216\n\0"), {encoding = "utf-16le"}))
  equal(info.offset, 6)
end)

test("what an encoding lacks", function()
  local path = check.file("old")
  fails("bad_encoding", "", fastio.write_lines(path, {"\226\130\172"}, {encoding = "latin-1"}))
  assert(fastio.write_lines(path, {"a\226\130\172b"}, {encoding = "latin-1", errors = "replace"}))
  equal(slurp(path), "a?b\n")
  assert(fastio.write_lines(path, {"a\226\130\172b"}, {encoding = "latin-1", errors = "skip"}))
  equal(slurp(path), "ab\n")
  raises("'errors'", fastio.write_lines, path, {"a"}, {encoding = "latin-1", errors = "ignore"})
  raises("encoding", fastio.write_lines, path, {"a"}, {encoding = "klingon"})
end)

test("compressed and encoded", function()
  local path = check.file("")
  assert(fastio.write_csv(path, {a = {1, 2}, b = {"K\195\182ln", "x"}}, {names = {"a", "b"}, encoding = "utf-16", compression = "gzip"}))
  local t = assert(fastio.read_csv(path))
  equal(t.b:totable(), {"K\195\182ln", "x"})
  local plain = check.file("")
  assert(fastio.copy(path, plain, {source_compression = "auto", source_encoding = "utf-16", encoding = "latin-1"}))
  equal(slurp(plain), "a,b\n1,K\246ln\n2,x\n")
  fails("bad_encoding", "", fastio.copy(plain, check.file(""), {source_encoding = "utf-8"}))
end)

test("functions", function()
  equal(fastio.encoding_name("latin1"), "ISO-8859-1")
  equal(fastio.encoding_name("utf_16le"), "UTF-16LE")
  equal(fastio.encoding_name("klingon"), nil)
  equal(fastio.validate_utf8(UTF8), true)
  equal(fastio.validate_utf8("a\255"), false)
  equal(fastio.utf8_valid("a\195\182\255b"), 3)
  equal(fastio.utf8_valid(""), 0)
  equal(fastio.count_utf8(UTF8), 11)
  local info = fails("bad_encoding", "", fastio.count_utf8("ab\255"))
  equal(info.offset, 2)
  info = fails("bad_encoding", "", fastio.transcode("ab\255", "utf-8"))
  equal(info.offset, 2)
  equal(fastio.transcode("ab\255", "utf-8", "utf-8", {errors = "replace"}), "ab\239\191\189")
  equal(fastio.transcode("ab\255", "utf-8", "utf-8", {errors = "skip"}), "ab")
  raises("", fastio.transcode, "a", "klingon")
  raises("", fastio.transcode, "a", "utf-8", "utf-8", {errors = "ignore"})
  raises("", fastio.transcode, 5)
end)

test("objects whose read fails within a character", function()
  local mine = {}
  local ok, err = pcall(fastio.read_lines, {read = function(self)
    self.read = function() error(mine) end
    return "K\0\246"
  end}, {encoding = "utf-16le"})
  equal(ok, false)
  truthy(rawequal(err, mine), "the error passes through unchanged")
  fails("bad_encoding", "", fastio.read_lines(object_of("K\0\246", 2), {encoding = "utf-16le"}))
end)

check.done()
