-- Nothing stays open: at the end, on a break, on an error, on collection. Nothing grows.
local fastio = require "fastio"
local check = require "check"
local test, equal, raises = check.test, check.equal, check.raises

local path = check.file(("12 34\n"):rep(1000))
local bad = check.file("1 2 x\n")
local table_path = check.file("a,b\n" .. ("12,34\n"):rep(1000))
local bad_table = check.file("a,b\n1\n")

-- f leaves as many descriptors as it found, without any collection.
local function closes(name, f)
  test(name, function()
    collectgarbage() collectgarbage()
    collectgarbage("stop")
    local before = check.descriptors()
    for _ = 1, 5 do f() end
    local after = check.descriptors()
    collectgarbage("restart")
    equal(after, before)
  end)
end

closes("whole-source functions", function()
  for _, name in ipairs {"read_ints", "read_floats", "read_lines", "read_bytes"} do assert(fastio[name](path)) end
  fastio.count_lines(path)
end)
closes("failed whole-source functions", function()
  check.fails("bad_token", "x", fastio.read_ints(bad))
  raises("does not apply", fastio.read_ints, path, {keepends = true})
  raises("mine", fastio.read_ints, path, {progress = function() error("mine") end})
end)
closes("iterators at their end", function()
  for _ in fastio.lines(path) do end
  for _ in fastio.ints(path) do end
  for _ in fastio.floats(path) do end
end)
closes("iterators that raise", function()
  raises("x", function() for _ in fastio.ints(bad) do end end)
end)
closes("iterators whose owner is closed", function()
  local step, _, _, owner = fastio.lines(path)
  equal(step(), "12 34")
  owner:close()
  owner:close()
  equal(step(), nil)
end)
closes("readers", function()
  local r = assert(fastio.open(path))
  r:read_int()
  r:close()
end)
closes("tables", function()
  local t = assert(fastio.read_csv(table_path))
  equal(#t, 1000)
end)
closes("failed tables", function()
  check.fails("ragged", "", fastio.read_csv(bad_table))
  raises("unknown option", fastio.read_csv, table_path, {x = 1})
  raises("mine", fastio.read_csv, table_path, {progress = function() error("mine") end})
  raises("mine", fastio.read_csv, bad_table, {on_ragged = function() error("mine") end})
end)
closes("batches at their end", function()
  for batch in assert(fastio.open_csv(table_path, {batch_rows = 300})):batches() do check.truthy(#batch > 0) end
  raises("", function() for _ in assert(fastio.open_csv(bad_table)):batches() do end end)
end)
closes("readers of tables", function()
  local reader = assert(fastio.open_csv(table_path, {batch_rows = 10}))
  equal(reader:count(), 1000)
  equal(#reader:next(), 10)
  reader:close()
end)
closes("sniffing and cutting", function()
  assert(fastio.sniff(table_path))
  assert(fastio.partition(table_path, 3))
  raises("number of parts", fastio.partition, table_path)
end)
closes("failed opens", function()
  raises("unknown option", fastio.open_csv, path, {x = 1})
  raises("", fastio.open_csv, path, {sep = ",", quote = ","})
  raises("unknown option", fastio.open, path, {x = 1})
  raises("unknown option", fastio.lines, path, {x = 1})
  check.fails(2, "", fastio.open("/no/such"))
  raises("mode", fastio.open, path, "r+")
end)
closes("maps", function()
  local m = assert(fastio.load(path))
  m:close()
end)

if _VERSION >= "Lua 5.4" then
  closes("5.4: break", function()
    for _ in fastio.lines(path) do break end
    for _ in fastio.ints(path) do break end
    for _ in assert(fastio.open_csv(table_path, {batch_rows = 1})):batches() do break end
  end)
  closes("5.4: error in the loop", function()
    raises("out", function() for _ in fastio.lines(path) do error("out") end end)
  end)
  closes("5.4: close variables", assert(load([[
    local fastio, path, table_path = ...
    return function()
      local reader <close> = assert(fastio.open(path))
      local column <close> = assert(fastio.read_ints(path))
      local map <close> = assert(fastio.load(path))
      local t <close> = assert(fastio.read_csv(table_path))
      local batches <close> = assert(fastio.open_csv(table_path))
      assert(reader:read_int() == 12 and column[2] == 34 and map:byte() == 49 and t.b[1] == 34 and #batches:next() == 1000)
    end
  ]]))(fastio, path, table_path))
end

test("the collector closes what was forgotten", function()
  collectgarbage() collectgarbage()
  local before = check.descriptors()
  local function forget() -- in a function, whose registers would otherwise hold on to the last ones
    for _ = 1, 20 do
      for _ in fastio.lines(path) do break end
      assert(fastio.open(path)):read_int()
      assert(fastio.load(path))
      assert(fastio.open_csv(table_path)):next()
      assert(fastio.read_csv(table_path)).a:slice(2)
      fastio.open({read = function() return "1 " end}):read_int()
    end
  end
  forget()
  collectgarbage() collectgarbage()
  equal(check.descriptors(), before)
end)

for _, name in ipairs {"read_ints", "read_csv"} do test("a loop that drops what " .. name .. " gave does not grow", function()
  local big = check.file(("123456\n"):rep(500000)) -- a column of 4 MB
  local function round() assert(fastio[name](big)) end
  for _ = 1, 20 do round() end
  local before = check.resident()
  for _ = 1, 100 do round() end
  local grown = check.resident() - before
  check.truthy(grown < 60000, "grew by " .. grown .. " KiB")
end) end

-- Every path through an error, often: memory stays where it was.
local reader_steps = {"read_int", "read_float", "skip", "read_token", "read_line"}
local function every_error()
  pcall(fastio.read_ints, "/no/such")
  pcall(fastio.read_ints, bad)
  pcall(fastio.read_ints, bad, {threads = 2})
  pcall(fastio.read_ints, fastio.data("1 x"))
  pcall(fastio.read_ints, fastio.data("300"), {dtype = "int8"})
  pcall(fastio.read_ints, fastio.data("1 2 3"), {shape = {-1, 2}})
  pcall(fastio.read_ints, fastio.data("1"), {bad = 1})
  pcall(fastio.read_ints, fastio.data("1 2 3"), {null_values = {"a", 5}})
  pcall(fastio.read_ints, path, {progress = function() return false end})
  pcall(fastio.read_ints, path, {progress = function() error {} end})
  pcall(fastio.read_ints, {read = function() error {} end})
  pcall(fastio.read_ints, {read = function() return nil, "why" end})
  pcall(fastio.read_ints, {read = function() return {} end})
  pcall(fastio.read_floats, fastio.data("1e"))
  pcall(fastio.read_lines, fastio.data("a\n\255"))
  pcall(fastio.read_csv, "/no/such")
  pcall(fastio.read_csv, bad_table)
  pcall(fastio.read_csv, fastio.data("a\n1\nx"), {dtype = {a = "int8"}})
  pcall(fastio.read_csv, fastio.data("a,a\n1,2"))
  pcall(fastio.read_csv, fastio.data('a\n"1'))
  pcall(fastio.read_csv, fastio.data("a\n\255"))
  pcall(fastio.read_csv, fastio.data("a\n1"), {usecols = {"b"}, dtype = {a = "int8"}, null_values = {a = {"", "x"}}})
  pcall(fastio.read_csv, bad_table, {on_ragged = function() error {} end})
  pcall(fastio.read_csv, bad_table, {on_ragged = function() return {1} end})
  pcall(fastio.read_csv, bad_table, {dtype = {a = 5}, names = {"x", "y"}})
  pcall(fastio.sniff, fastio.data(""))
  pcall(fastio.partition, "/no/such", 2)
  pcall(function() for _ in fastio.open_csv(bad_table):batches() do end end)
  pcall(fastio.open_csv, fastio.data("a\n1"), {names = {"x", "y"}})
  pcall(fastio.load, "/no/such")
  pcall(fastio.lines, "/no/such")
  pcall(function() for _ in fastio.lines(fastio.data("\255")) do end end)
  pcall(function() for _ in fastio.ints(fastio.data("1 x")) do end end)
  local r = fastio.open(fastio.data("x y"))
  for _, step in ipairs(reader_steps) do pcall(r[step], r) end
  pcall(r.expect, r, "no")
  r:close()
  pcall(r.read_int, r)
  local c = fastio.read_ints(fastio.data("9223372036854775807 9223372036854775807"))
  pcall(c.sum, c)
  pcall(c.totable, c)
  pcall(c.slice, c, {})
end

test("a loop over every error does not grow", function()
  for _ = 1, jit and 2000 or 300 do every_error() end -- LuaJIT's heap holds its traces: until it has them all
  collectgarbage() collectgarbage()
  local resident, descriptors, heap = check.resident(), check.descriptors(), collectgarbage("count")
  for _ = 1, 1000 do every_error() end
  collectgarbage() collectgarbage()
  equal(check.descriptors(), descriptors)
  local grown = collectgarbage("count") - heap
  check.truthy(grown < 100, "the Lua heap grew by " .. grown .. " KiB")
  check.truthy(check.resident() - resident < 3000, "resident memory grew by " .. check.resident() - resident .. " KiB")
end)

test("requiring it twice gives types that know each other", function()
  local column = assert(fastio.read_bytes(fastio.data("1 2")))
  package.loaded.fastio = nil
  local again = require "fastio"
  check.truthy(again ~= fastio)
  equal(again.read_ints(column):totable(), {1, 2})
  equal(again.strict(true), false)
  equal(fastio.strict(false), true)
  package.loaded.fastio = fastio
end)

check.done()
