-- Compressed sources and destinations. What our writers make is read by the formats' own programs, and what those make is
-- read here; the stored archives were made by Python's standard library and by `lz4` and `zstd`.
local fastio = require "fastio"
local check = require "check"
local test, equal, truthy, raises, fails = check.test, check.equal, check.truthy, check.raises, check.fails
local data = fastio.data

local function from_hex(digits)
  return (digits:gsub("%s", ""):gsub("%x%x", function(pair) return string.char(tonumber(pair, 16)) end))
end

-- "1 2\n3\n" in each format.
local stored = {
  gzip = "1f8b0800000000000203335430e232e6 02007d632efc06000000",
  zlib = "789c335430e232e60200032200cb",
  deflate = "335430e232e60200",
  bzip2 = "425a6839314159265359c2cb56390000 01d800001040003800200030cd00c1a0 189c5dc914e142430b2d58e4",
  xz = [[
    fd377a585a000004e6d6b44602002101 16000000742fe5a30100053120320a33 0a000000593bc865389ade6a00011e06
    c12fa41d1fb6f37d010000000004595a]],
  zstd = "28b52ffd04583100003120320a330ab3 9ee3b8",
  lz4 = "04224d186440a7060000803120320a33 0a00000000e7093ae2",
}
local by_name_only = {zlib = true, deflate = true}
local present = {}
for _, name in ipairs(fastio.compression_names()) do present[name] = true end
local archives = {}
for name, digits in pairs(stored) do
  if present[name] then archives[name] = from_hex(digits) end
end
truthy(archives.gzip, "gzip is part of every build that is tested")

local function slurp(path)
  local file = assert(io.open(path, "rb"))
  local bytes = file:read("*a")
  file:close()
  return bytes
end

-- What the command prints, or nil if there is no such program.
local function output_of(program, arguments)
  local has = io.popen("command -v " .. program)
  local where = has:read("*a")
  has:close()
  if where == "" then return nil end
  local pipe = io.popen(program .. " " .. arguments, "r")
  local bytes = pipe:read("*a")
  pipe:close()
  return bytes
end

-- An object that gives so many bytes at once.
local function object_of(bytes, step)
  local at = 1
  return {read = function()
    local piece = bytes:sub(at, at + step - 1)
    at = at + step
    return piece
  end}
end

-- Letters with little in common, so that archives of them are not tiny.
local function noise(count)
  local state, parts = 1, {}
  for i = 1, count do
    state = state * 16807 % 2147483647
    parts[i] = ("%d\n"):format(state)
  end
  return table.concat(parts)
end

for name, archive in pairs(archives) do
  test("stored " .. name, function()
    local options = by_name_only[name] and {compression = name} or nil
    local path = check.file(archive)
    for _, source in ipairs {path, data(archive), object_of(archive, 1), object_of(archive, 7)} do
      equal(assert(fastio.read_ints(source, options)):totable(), {1, 2, 3})
    end
    equal(assert(fastio.read_floats(path, options)):totable(), {1.0, 2.0, 3.0})
    equal(assert(fastio.read_lines(path, options)):totable(), {"1 2", "3"})
    equal(assert(fastio.read_bytes(path, options)):sub(), "1 2\n3\n")
    equal(assert(fastio.count_lines(path, options)), 2)
    local file = assert(io.open(path, "rb"))
    equal(assert(fastio.read_ints(file, options)):totable(), {1, 2, 3})
    file:close()
    file = assert(io.open(path, "rb"))
    equal(assert(fastio.read_ints(check.descriptor(path), options)):totable(), {1, 2, 3})
    file:close()
    local lines = {}
    for line in fastio.lines(path, options) do lines[#lines + 1] = line end
    equal(lines, {"1 2", "3"})
    local reader = assert(fastio.open(path, options))
    equal({reader:read_int(), reader:read_line(), reader:read_int(), reader:read_int()}, {1, " 2", 3, nil})
    reader:close()
    local csv = {sep = " ", header = false, on_ragged = "pad", compression = options and name}
    equal(assert(fastio.read_csv(path, csv)):column(1):totable(), {1, 3})
    equal(#assert(fastio.open_csv(path, csv)):next(), 2)
    equal(assert(fastio.sniff(path, {compression = csv.compression})).compression, csv.compression)
  end)

  test("cut and damaged " .. name, function()
    local options = by_name_only[name] and {compression = name} or nil
    for cut = #archive - 1, by_name_only[name] and 2 or 10, -1 do -- with less it is not recognised
      local column, message, code, info = fastio.read_ints(data(archive:sub(1, cut)), options)
      equal(column, nil, "cut at " .. cut)
      equal(code, "truncated", "cut at " .. cut)
      truthy(info.raw_offset <= cut, "raw_offset")
      truthy(message:find("of the archive", 1, true), message)
    end
    -- whatever byte is damaged: an error, or what was meant where the byte does not matter
    for place = 1, name == "deflate" and 0 or #archive do
      local bad = archive:sub(1, place - 1) .. string.char(255 - archive:byte(place)) .. archive:sub(place + 1)
      local bytes, _, code, info = fastio.read_bytes(data(bad), {compression = name})
      if bytes then equal(bytes:sub(), "1 2\n3\n", "byte " .. place) else equal(info.status, code) end
    end
  end)
end

test("checksums", function()
  local archive = archives.gzip
  local bad = archive:sub(1, -9) .. "\0\0\0\0" .. archive:sub(-4)
  local info = fails("corrupt", "", fastio.read_lines(data(bad)))
  equal(info.status, "corrupt")
  truthy(info.raw_offset)
  local seen = {}
  local err = raises("", function() for line in fastio.lines(data(bad)) do seen[#seen + 1] = line end end)
  equal(err.status, "corrupt")
  equal(seen, {"1 2", "3"})
end)

test("several members, and what is behind them", function()
  local archive = archives.gzip
  equal(assert(fastio.read_ints(data(archive .. archive))):totable(), {1, 2, 3, 1, 2, 3})
  equal(assert(fastio.read_ints(data(archive .. "\0\0\0"))):totable(), {1, 2, 3})
  fails("corrupt", "", fastio.read_ints(data(archive .. "rest")))
  equal(assert(fastio.read_ints(data(archive .. "rest"), {trailing = "ignore"})):totable(), {1, 2, 3})
  fails("corrupt", "", fastio.read_ints(data(archive .. "rest"), {trailing = "error"}))
  fails("corrupt", "", fastio.read_ints(data("1 2 3"), {compression = "gzip"}))
  equal(assert(fastio.read_bytes(data(archive), {compression = false})):sub(), archive)
  equal(assert(fastio.load(check.file(archive))):sub(), archive)
end)

test("max_size", function()
  equal(#assert(fastio.read_bytes(data(archives.gzip), {max_size = 6})), 6)
  local info = fails("too_large", "", fastio.read_bytes(data(archives.gzip), {max_size = 5}))
  equal(info.status, "too_large")
  fails("too_large", "", fastio.read_ints(data(archives.gzip), {max_size = 1}))
end)

test("misuse", function()
  raises("compression", fastio.read_ints, data("1"), {compression = "arj"})
  raises("compression", fastio.open, check.file(""), "w", {compression = "arj"})
  raises("'level'", fastio.open, check.file(""), "w", {compression = "gzip", level = "best"})
  raises("level", fastio.open, check.file(""), "w", {compression = "gzip", level = 1000})
end)

test("objects that fail within an archive", function()
  local archive, mine = archives.gzip, {}
  local function failing(give_up)
    local calls = 0
    return {read = function()
      calls = calls + 1
      if calls == 1 then return archive:sub(1, 15) end
      return give_up()
    end}
  end
  local ok, err = pcall(fastio.read_ints, failing(function() error(mine) end))
  equal(ok, false)
  truthy(rawequal(err, mine), "the error passes through unchanged")
  fails(5, "torn", fastio.read_ints(failing(function() return nil, "torn", 5 end)))
  raises("read returned a number", fastio.read_ints, failing(function() return 8 end))
  fails("truncated", "", fastio.read_ints(failing(function() return nil end)))
  -- more than was asked for is kept for the next call
  equal(assert(fastio.read_ints({read = function(self) self.read = function() end return archive:rep(20000) end})):sum(), 120000)
end)

-- ---- writing ----

local programs = {gzip = "gzip -dc", bgzf = "gzip -dc", zstd = "zstd -dcq", xz = "xz -dc", bzip2 = "bzip2 -dc", lz4 = "lz4 -dcq"}
local endings = {gzip = "gz", bgzf = "bgz", zstd = "zst", xz = "xz", bzip2 = "bz2", lz4 = "lz4"}
local text = noise(20000)

for name, ending in pairs(endings) do
  if present[name] then
    test("writing " .. name, function()
      local base = check.file("")
      local path = base .. "." .. ending
      check.remove_later(path)
      for _, options in ipairs {{}, {compression = name}, {compression = name, level = 1}, {atomic = true}, {threads = 2}} do
        local dest = options.compression and base or path
        local writer = assert(fastio.open(dest, "w", options))
        writer:write(text)
        assert(writer:close())
        local bytes = slurp(dest)
        truthy(#bytes < #text, "it is smaller")
        truthy(bytes ~= text)
        local program = programs[name]
        local shown = output_of(program:match("^%w+"), program:match(" (.*)") .. " < " .. dest)
        truthy(shown == nil or shown == text, program .. " reads it")
        equal(assert(fastio.read_bytes(dest)):sub() == text, true)
        equal(assert(fastio.read_lines(object_of(bytes, 1000))):totable()[20000], text:match("(%d+)\n$"))
      end
      local made = output_of(programs[name]:match("^%w+"), "-c < " .. check.file(text))
      if made and made ~= "" then equal(assert(fastio.read_bytes(data(made))):sub() == text, true) end
    end)

    test("appending " .. name, function()
      local path = check.file("")
      assert(fastio.write_lines(path, {"1", "2"}, {compression = name}))
      assert(fastio.write_lines(path, {"3"}, {compression = name, mode = "a"}))
      equal(assert(fastio.read_ints(path)):totable(), {1, 2, 3})
      local program = programs[name]
      local shown = output_of(program:match("^%w+"), program:match(" (.*)") .. " < " .. path)
      truthy(shown == nil or shown == "1\n2\n3\n", "its program reads both members")
    end)

    test("objects and files as destinations of " .. name, function()
      local parts = {}
      local object = {write = function(_, piece) parts[#parts + 1] = piece return true end}
      assert(fastio.write_ints(object, {1, 2, 3}, {compression = name}))
      equal(assert(fastio.read_ints(data(table.concat(parts)))):totable(), {1, 2, 3})
      local file = assert(io.tmpfile())
      assert(fastio.write_csv(file, {a = {1, 2}}, {names = {"a"}, compression = name}))
      file:seek("set")
      equal(assert(fastio.read_csv(data(file:read("*a")))).a:totable(), {1, 2})
      file:close()
    end)

    test("copying from and to " .. name, function()
      local packed, plain = check.file(""), check.file(text)
      equal(assert(fastio.copy(plain, packed, {compression = name})), #text)
      equal(assert(fastio.read_bytes(packed)):sub() == text, true)
      local raw = check.file("")
      equal(assert(fastio.copy(packed, raw)), #slurp(packed))
      equal(slurp(raw) == slurp(packed), true)
      equal(assert(fastio.copy(packed, raw, {source_compression = "auto"})), #text)
      equal(slurp(raw) == text, true)
      fails("corrupt", "", fastio.copy(plain, raw, {source_compression = name}))
    end)
  end
end

test("an object that fails as the destination of an archive", function()
  local mine = {}
  local ok, err = pcall(fastio.write_lines, {write = function() error(mine) end}, {text}, {compression = "gzip"})
  equal(ok, false)
  truthy(rawequal(err, mine), "the error passes through unchanged")
  fails(28, "full", fastio.write_lines({write = function() return nil, "full", 28 end}, {text}, {compression = "gzip"}))
end)

test("a full device behind an archive", function()
  local full = io.open("/dev/full", "r")
  if not full then return end
  full:close()
  local writer = assert(fastio.open("/dev/full", "w", {compression = "gzip"}))
  writer:write(text)
  fails(28, "space", writer:close())
end)

test("an atomic archive that is not finished", function()
  local path = check.file("old")
  local writer = assert(fastio.open(path, "w", {compression = "gzip", atomic = true}))
  writer:write(text)
  writer:discard()
  equal(slurp(path), "old")
end)

test("flush makes what was written readable", function()
  local path = check.file("")
  local writer = assert(fastio.open(path, "w", {compression = "gzip"}))
  writer:write("1 2\n")
  assert(writer:flush())
  local lines = {}
  pcall(function() for line in fastio.lines(path) do lines[#lines + 1] = line end end)
  equal(lines, {"1 2"})
  assert(writer:close())
end)

test("reading that stops early leaves the rest", function()
  local path = check.file("")
  assert(fastio.write_lines(path, {text}, {compression = "gzip"}))
  local bytes = slurp(path)
  local cut = check.file(bytes:sub(1, math.floor(#bytes / 2)))
  equal(#assert(fastio.read_ints(cut, {max_items = 10, block_size = 4096})), 10)
  equal(#assert(fastio.read_csv(cut, {header = false, max_rows = 10, block_size = 4096})), 10)
  fails("truncated", "", fastio.read_ints(cut))
end)

test("nothing stays open", function()
  local good, cut = check.file(archives.gzip), check.file(archives.gzip:sub(1, -3))
  collectgarbage() collectgarbage()
  collectgarbage("stop")
  local before = check.descriptors()
  for _ = 1, 5 do
    assert(fastio.read_ints(good))
    fastio.read_ints(cut)
    for _ in fastio.ints(good) do end
    pcall(function() for _ in fastio.ints(cut) do end end)
    pcall(fastio.read_ints, good, {compression = "arj"})
    pcall(fastio.read_ints, good, {encoding = "klingon"})
    pcall(fastio.open_csv, good, {compression = "arj"})
  end
  local after = check.descriptors()
  collectgarbage("restart")
  equal(after, before)
end)

check.done()
