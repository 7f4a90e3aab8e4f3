-- Tables: columns, rows, types, reports; batches, slices, sniffing and ranges.
local fastio = require "fastio"
local check = require "check"
local test, equal, raises, fails = check.test, check.equal, check.raises, check.fails

local function read(text, options) return assert(fastio.read_csv(fastio.data(text), options)) end
local function column(text, dtype) return read("a\n" .. text, {dtype = dtype}).a end

-- The table as a list of columns, each a list.
local function values(t)
  local out = {}
  for i = 1, t:column_count() do out[i] = t:column(i):totable() end
  return out
end

local null = fastio.null
local people = "name,age,height\nAnn,31,1.5\nBob,,1.75\n\"Chris, the 3rd\",7,\n"

-- ---- columns ----

test("names, types, shape", function()
  local t = read(people)
  equal(#t, 3)
  equal(t:column_count(), 3)
  equal(t:names(), {"name", "age", "height"})
  local dtypes = t:dtypes()
  equal({dtypes.name, dtypes.age, dtypes.height}, {"string", "int64", "float64"})
  equal(values(t), {{"Ann", "Bob", "Chris, the 3rd"}, {31, null, 7}, {1.5, 1.75, null}})
end)

test("a column by name, by position, as a field", function()
  local t = read(people)
  equal(t.age:totable(), {31, null, 7})
  equal(t:column("age")[3], 7)
  equal(t:column(2)[3], 7)
  equal(t.age.null_count, 1)
  equal(t.age:sum(), 38)
  equal(t.height:mean(), 1.625)
  equal(t.name.dtype, "string")
  equal(t.nothing, nil)
  equal(t[true], nil)
  raises('no column "nothing"', t.column, t, "nothing")
  raises("the table has 3 columns", t.column, t, 4)
  raises("the table has 3 columns", t.column, t, 0)
  raises("a column's name or its position", t.column, t, 1.5)
  raises("a column's name or its position", t.column, t)
end)

test("a column is taken once", function()
  local t = read(people)
  check.truthy(t.age == t.age)
  check.truthy(t:column("age") == t.age)
  check.truthy(t:column(2) == t.age)
  t.age:close()
  equal(t.age[1], 31)
end)

test("a method hides the column of its name", function()
  local t = read("rows,close\n1,2\n")
  equal(type(t.rows), "function")
  equal(t:column("rows")[1], 1)
  equal(t:column("close")[1], 2)
end)

test("a column outlives its table", function()
  local age = read(people).age
  collectgarbage() collectgarbage()
  equal(age:totable(), {31, null, 7})
  local t = read(people)
  local name = t.name
  t:close()
  equal(name[3], "Chris, the 3rd")
end)

-- ---- rows ----

test("one row", function()
  local t = read(people)
  equal({t:row(1)}, {"Ann", 31, 1.5})
  equal(select("#", t:row(3)), 3)
  equal({t:row(3)}, {"Chris, the 3rd", 7})
  equal(select("#", t:row(4)), 1)
  equal(t:row(4), nil)
  equal(t:row(0), nil)
  equal(t:row(-1), nil)
  raises("number expected, got string", t.row, t, "x")
  local row = t[2]
  equal({row.name, row.height}, {"Bob", 1.75})
  equal(row.age, nil)
  equal(t[0], nil)
  equal(t[4], nil)
  equal(t[1.5], nil)
end)

test("a loop over rows", function()
  local t, seen = read(people), {}
  for row in t:rows() do seen[#seen + 1] = row end
  equal(#seen, 3)
  equal({seen[1].name, seen[1].age, seen[1].height}, {"Ann", 31, 1.5})
  equal({seen[3].name, seen[3].age}, {"Chris, the 3rd", 7})
  equal(seen[3].height, nil)
  local ages = {}
  for row in t:rows("age", 1) do
    ages[#ages + 1] = row.age or "?"
    equal(row.height, nil)
    check.truthy(row.name)
  end
  equal(ages, {31, "?", 7})
  raises('no column "x"', t.rows, t, "x")
end)

test("a loop over values does not end at a null", function()
  local t, seen = read("a,b\n,1\n2,\n,\n"), {}
  for i, a, b in t:iter() do seen[#seen + 1] = {i, a or "-", b or "-"} end
  equal(seen, {{1, "-", 1}, {2, 2, "-"}, {3, "-", "-"}})
  seen = {}
  for i, b in t:iter("b") do seen[i] = b or "-" end
  equal(seen, {1, "-", "-"})
  for i, b, a, again in t:iter(2, "a", "b") do
    if i == 1 then equal(b, 1) equal(a, nil) equal(again, 1) end
  end
end)

test("several loops over one table", function()
  local t, pairs_seen = read("a\n1\n2\n"), {}
  for one in t:rows() do
    for two in t:rows() do pairs_seen[#pairs_seen + 1] = one.a * 10 + two.a end
  end
  equal(pairs_seen, {11, 12, 21, 22})
end)

test("slices", function()
  local t = read("a,b\n1,x\n2,y\n3,\n4,z\n")
  local s = t:slice(2, 3)
  equal(#s, 2)
  equal(values(s), {{2, 3}, {"y", null}})
  equal(s.b.null_count, 1)
  equal(t:slice(1, 2).b.null_count, 0)
  equal(s:slice(-1).a[1], 3)
  equal(#t:slice(), 4)
  equal(#t:slice(5), 0)
  equal(#t:slice(3, 2), 0)
  equal({s:row(1)}, {2, "y"})
  equal(s[2].a, 3)
  equal(s:row(3), nil)
  local n = 0
  for i, a in s:iter("a") do n = n + i * a end
  equal(n, 8)
  t:close()
  equal(s.a:totable(), {2, 3})
  equal(s:names(), {"a", "b"})
end)

test("no rows, no columns", function()
  local t = read("a,b\n")
  equal(#t, 0)
  equal(t:names(), {"a", "b"})
  equal(t.a[1], nil)
  for _ in t:rows() do error("a row") end
  for _ in t:iter() do error("a row") end
  t = read("")
  equal(#t, 0)
  equal(t:column_count(), 0)
  equal(t:names(), {})
  check.truthy(tostring(t):find("0 rows, 0 columns", 1, true))
end)

test("many columns in a row", function()
  local names, cells = {}, {}
  for i = 1, 2000 do names[i], cells[i] = "c" .. i, tostring(i) end
  local t = read(table.concat(names, ",") .. "\n" .. table.concat(cells, ",") .. "\n")
  equal(select("#", t:row(1)), 2000)
  equal(select(2000, t:row(1)), 2000)
  equal(t[1].c1234, 1234)
  equal(t.c1999[1], 1999)
end)

test("tostring", function()
  equal(tostring(read(people)), table.concat({
    "fastio.Table (3 rows, 3 columns)",
    "name              age   height",
    "string          int64  float64",
    "Ann                31      1.5",
    "Bob              null     1.75",
    "Chris, the 3rd      7     null",
  }, "\n"))
  local lines = {}
  for i = 1, 12 do lines[i] = tostring(i) end
  local shown = tostring(read("a\n" .. table.concat(lines, "\n")))
  check.truthy(shown:find("12 rows, 1 column)", 1, true))
  check.truthy(shown:find("\n   10\n... 2 more rows", 1, true), shown)
  check.truthy(not shown:find("11", 1, true))
  shown = tostring(read("a\n\"x\ny\"\n" .. ("é"):rep(40) .. "\n"))
  check.truthy(shown:find("\nx?y\n" .. ("é"):rep(14) .. "...", 1, true), shown)
  local t = read("a\n9007199254740993\n-1\n")
  check.truthy(tostring(t):find("9007199254740993", 1, true))
  check.truthy(tostring(read("a\n0.1\n1e22\n")):find("    0.1\n  1e+22", 1, true))
  t:close()
  equal(tostring(t), "fastio.Table (closed)")
  equal(getmetatable(t), "fastio.Table")
end)

-- ---- types ----

test("bools", function()
  local c = column("true\nFALSE\n\nTrue\n")
  equal(c.dtype, "bool")
  equal(c:totable(), {true, false, true})
  c = read("a,b\ntrue,1\n,2\nfalse,3\n").a
  equal(c:totable(), {true, null, false})
  equal({c:raw(1), c:raw(3)}, {1, 0})
  equal(c:raw(2), nil)
  equal(c:slice(3)[1], false)
  raises("a column of numbers expected, got one of bool", c.sum, c)
  raises("a column of numbers, dates or times expected, got one of bool", c.max, c)
  raises("got one of bool", c.pointer, c)
end)

test("dates and times", function()
  local t = read("d,t,s,u\n2024-02-29,23:59:58.5,2024-02-29T12:00:00,2024-02-29T12:00:00+01:00\n1969-12-31,00:00,,\n")
  local dtypes = t:dtypes()
  equal({dtypes.d, dtypes.t, dtypes.s, dtypes.u}, {"date", "time", "timestamp[ns]", "timestamp[ns, UTC]"})
  equal({t:row(1)}, {"2024-02-29", "23:59:58.500", "2024-02-29T12:00:00", "2024-02-29T11:00:00Z"})
  equal(t.d:totable(), {"2024-02-29", "1969-12-31"})
  equal(t.s:totable()[2], null)
  equal({t.d:raw(1), t.d:raw(2)}, {19782, -1})
  equal(t.t:raw(2), 0)
  equal(t.d:min(), "1969-12-31")
  equal(t.d:max(), "2024-02-29")
  equal(t.u:max(), "2024-02-29T11:00:00Z")
  raises("got one of date", t.d.sum, t.d)
  raises("got one of time", t.t.mean, t.t)
  local _, n = t.d:pointer()
  equal(n, 2)
end)

test("what is behind a timestamp heeds int64", function()
  local t = read("s\n2024-02-29T12:00:00\n", {int64 = "string"})
  local raw = t.s:raw(1)
  if check.has_integers then
    equal(raw, 1709208000000000000)
  else
    equal(raw, "1709208000000000000")
    fails("out_of_range", "1709208000000000000", read("s\n2024-02-29T12:00:00\n").s:raw(1))
  end
end)

test("dictionaries", function()
  local t = read("a,b\nx,1\ny,2\n,3\nx,4\n", {dictionary = {"a"}})
  equal(t.a.dtype, "dictionary")
  equal(t.a:totable(), {"x", "y", null, "x"})
  equal(t.a.dictionary:totable(), {"x", "y"})
  equal({t.a:raw(1), t.a:raw(2), t.a:raw(4)}, {0, 1, 0})
  equal(t.b.dictionary, nil)
  local dictionary = t.a.dictionary
  t:close()
  equal(dictionary[2], "y")
  raises("got one of string", dictionary.sum, dictionary)
  raises("got one of string", dictionary.raw, dictionary, 1)
  equal(read("a\nx\n", {dictionary = {1}}).a.dtype, "dictionary")
  equal(read("a\nx\n", {dtype = "dictionary"}).a:totable(), {"x"})
  t = read("a,b,c\nx,1,y\n", {dictionary = true, dtype = {c = "string"}})
  equal({t.a.dtype, t.b.dtype, t.c.dtype}, {"dictionary", "int64", "string"})
  equal(t.a:totable(), {"x"})
  equal(read("a\nx\n", {dialect = {dictionary = {"a"}}, dictionary = false}).a.dtype, "string")
end)

test("integers that this Lua can't hold", function()
  local text = "a,b\n9223372036854775807,18446744073709551615\n"
  local t = read(text, {int64 = "string"})
  equal(t.b[1], "18446744073709551615")
  equal(t[1].b, "18446744073709551615")
  equal(select(2, t:row(1)), "18446744073709551615")
  t = read(text)
  equal(raises("can't hold", t.row, t, 1).status, "out_of_range")
  raises("can't hold", function() for _ in t:rows() do end end)
  raises("can't hold", function() for _ in t:iter("b") do end end)
  check.truthy(tostring(t):find("9223372036854775807  18446744073709551615", 1, true))
end)

test("strings are a column, too", function()
  local t = read("a\nx\ny\n")
  local seen = {}
  for i, value in t.a:iter() do seen[i] = value end
  equal(seen, {"x", "y"})
  equal(t.a:slice(2):totable(), {"y"})
  check.truthy(tostring(t.a):find("string, 2 items", 1, true))
end)

-- ---- reports ----

test("what reading changed is counted", function()
  local t = read("a,b\n1,2\n3\n\n4,5,6\n7,x\n", {on_ragged = "fit", on_bad = "null", dtype = "int64"})
  equal(values(t), {{1, 3, 4, 7}, {2, null, 5, null}})
  local report = t:report()
  equal({report.padded, report.truncated, report.skipped, report.replaced}, {1, 1, 0, 0})
  equal({report.bad_cells, report.blank_lines, report.comment_lines}, {1, 1, 0})
  equal(#report.places, 3)
  local place = report.places[1]
  equal({place.status, place.offset, place.lineno, place.record, place.field}, {"ragged", 8, 3, 2, 1})
  place = report.places[3]
  equal({place.status, place.offset, place.lineno, place.record, place.field}, {"bad_token", 19, 6, 4, 2})
  report = read(people):report()
  equal({report.padded, report.bad_cells, #report.places}, {0, 0, 0})
end)

test("a function decides about ragged records", function()
  local seen = {}
  local t = read('a,b\n1,2\n3\n4,"5,5",6\n7\n', {on_ragged = function(fields, expected)
    seen[#seen + 1] = {fields, expected}
    if #fields == 1 and fields[1] == "7" then return nil end
    return {fields[1], #fields == 1 and 0 or fields[2]}
  end, dtype = "string"})
  equal(values(t), {{"1", "3", "4"}, {"2", "0", "5,5"}})
  equal(seen, {{{"3"}, 2}, {{"4", "5,5", "6"}, 2}, {{"7"}, 2}})
  local report = t:report()
  equal({report.replaced, report.skipped, #report.places}, {2, 1, 3})
end)

test("errors of that function pass through", function()
  local thrown = {}
  local ok, err = pcall(read, "a,b\n1\n", {on_ragged = function() error(thrown) end})
  check.truthy(not ok and err == thrown)
  raises("on_ragged returned 1 fields for 2 columns", read, "a,b\n1\n", {on_ragged = function() return {"1"} end})
  raises("on_ragged returned a number", read, "a,b\n1\n", {on_ragged = function() return 1 end})
  raises("a boolean as a field", read, "a,b\n1\n", {on_ragged = function() return {"1", true} end})
  equal(#read("a,b\n1\n", {on_ragged = function() return false end}), 0)
end)

-- ---- failures ----

test("a cell of the wrong type", function()
  local path = check.file("a,b\n1,2\n3,x\n")
  local info = fails("bad_token", "", fastio.read_csv(path, {dtype = {b = "int64"}}))
  equal({info.offset, info.lineno, info.colno, info.record, info.field, info.text}, {10, 3, 3, 2, "b", "x"})
  equal(info.message, path .. ": not an integer in column \"b\", record 2 (line 3, column 3, offset 10): 'x'; " ..
    "dtype = {b = \"string\"} or on_bad = \"null\" would accept it")
  equal(info.path, path)
  local strings = assert(fastio.read_csv(path, {dtype = {b = "string"}}))
  equal(strings.b[2], "x")
  info = fails("bad_token", "dtype = {[\"b c\"] = \"string\"} or", fastio.read_csv(fastio.data("b c\nx\n"), {dtype = "int8"}))
  equal(info.field, "b c")
  fails("bad_token", 'in column "größe", record 1 (line 2, column 1, offset 8): \'x\'; dtype = {["größe"] = "string"} or',
        fastio.read_csv(fastio.data("größe\nx\n"), {dtype = "int8"}))
  fails("bad_token", 'dtype = {["2nd"] = "string"} or', fastio.read_csv(fastio.data("2nd\nx\n"), {dtype = "int8"}))
  fails("bad_token", 'dtype = {["a\\"\\009b\\\\"] = "string"} or', fastio.read_csv(fastio.data('"a""\tb\\"\nx\n'), {dtype = "int8"}))
  fails("bad_token", "dtype = {[2] = \"string\"} or", fastio.read_csv(fastio.data("x," .. ("y"):rep(99) .. "\n1,x\n"), {dtype = "int8"}))
  fails("out_of_range", "record 1 (line 2, column 1, offset 2): '300'", fastio.read_csv(fastio.data("a\n300\n"), {dtype = "uint8"}))
end)

test("ragged records, quotes, headers", function()
  local info = fails("ragged", "on_ragged =", fastio.read_csv(fastio.data("a,b\n1\n")))
  equal({info.offset, info.lineno, info.record}, {4, 2, 1})
  equal(info.message, "1 field where 2 are expected, record 1 (line 2, column 1, offset 4): '1'; " ..
    'on_ragged = "pad", "fit", "skip" or a function would accept it')
  fails("ragged", '3 fields where 2 are expected, record 1 (line 2, column 1, offset 4): \'1,"2\'; on_ragged = "truncate",',
        fastio.read_csv(fastio.data('a,b\n1,"2\n",3\n')))
  info = fails("bad_quote", "quote = false", fastio.read_csv(fastio.data('a,b\n1,"x\n2,y\n3,z\n')))
  equal({info.offset, info.lineno, info.colno}, {6, 2, 3})
  info = fails("bad_header", "repair_names = true", fastio.read_csv(fastio.data("a,a\n1,2\n")))
  equal(info.message, 'two columns have this name: "a" (line 1, column 3, offset 2); repair_names = true, names = {...} or header = false would accept it')
  info = fails("bad_encoding", "", fastio.read_csv(fastio.data("a\nx\nb\255\n")))
  equal({info.offset, info.lineno, info.colno}, {5, 3, 2})
  fails(2, "/no/such: ", fastio.read_csv("/no/such"))
  fails(2, "/no/such: ", fastio.open_csv("/no/such"))
  fails(2, "/no/such: ", fastio.sniff("/no/such"))
  fails(2, "/no/such: ", fastio.partition("/no/such", 2))
end)

test("strict mode raises", function()
  fastio.strict(true)
  local ok, err = pcall(fastio.read_csv, fastio.data("a,b\n1\n"))
  fastio.strict(false)
  equal(ok, false)
  equal(err.status, "ragged")
end)

test("progress, cancelling, hooks", function()
  local calls, path = 0, check.file("a,b\n" .. ("1234,5678\n"):rep(300000))
  assert(fastio.read_csv(path, {threads = 1, block_size = 65536, progress = function(done, total)
    calls = calls + 1
    check.truthy(done <= total)
  end}))
  check.truthy(calls > 1)
  fails("cancelled", "", fastio.read_csv(path, {progress = function() return false end}))
  raises("mine", fastio.read_csv, path, {progress = function() error("mine") end})
end)

-- ---- batches ----

test("batches", function()
  local reader = assert(fastio.open_csv(fastio.data("a,b\n1,x\n2,y\n3,z\n"), {batch_rows = 2}))
  equal(tostring(reader), "fastio.CsvReader")
  equal(reader:names(), {"a", "b"})
  equal(reader:dtypes().a, "int64")
  local batch = assert(reader:next())
  equal(values(batch), {{1, 2}, {"x", "y"}})
  local last = assert(reader:next())
  equal(values(last), {{3}, {"z"}})
  equal(select("#", reader:next()), 1)
  equal(reader:next(), nil)
  equal(reader:names(), {"a", "b"})
  reader:close()
  reader:close()
  equal(tostring(reader), "fastio.CsvReader (closed)")
  equal(batch.b[2], "y")
  for _, method in ipairs {"next", "batches", "names", "dtypes", "count", "slice"} do
    raises("the reader is closed", reader[method], reader)
  end
end)

test("a reader that failed to look ahead fails again", function()
  local reader = assert(fastio.open_csv(fastio.data("a,b\n1,2,3\n4,5\n")))
  fails("ragged", "3 fields where 2", reader:names())
  fails("ragged", "3 fields where 2", reader:next())
  reader:close()
end)

test("a loop over batches", function()
  local lines = {}
  for i = 1, 1000 do lines[i] = tostring(i) end
  local path, sum, count = check.file("a\n" .. table.concat(lines, "\n")), 0, 0
  local reader = assert(fastio.open_csv(path, {batch_rows = 300}))
  for batch in reader:batches() do sum, count = sum + batch.a:sum(), count + 1 end
  equal(sum, 500500)
  equal(count, 4)
  raises("closed", reader.next, reader)
  reader = assert(fastio.open_csv(path, {batch_bytes = 100}))
  sum = 0
  for batch in reader:batches() do sum = sum + batch.a:sum() end
  equal(sum, 500500)
end)

test("no records give one batch", function()
  local reader = assert(fastio.open_csv(fastio.data("a,b\n")))
  local batch = assert(reader:next())
  equal(#batch, 0)
  equal(batch:names(), {"a", "b"})
  equal(reader:next(), nil)
end)

test("a later batch that does not fit", function()
  local text = "a\n1\n2\nx\n"
  local reader = assert(fastio.open_csv(fastio.data(text), {batch_rows = 2}))
  equal(reader:next().a:totable(), {1, 2})
  local info = fails("bad_token", 'dtype = {a = "string"}', reader:next())
  equal({info.record, info.lineno, info.field, info.text}, {3, 4, "a", "x"})
  reader:close()
  local step, _, _, owner = assert(fastio.open_csv(fastio.data(text), {batch_rows = 2})):batches()
  equal(#step(), 2)
  equal(raises('dtype = {a = "string"}', step).record, 3)
  equal(step(), nil)
  owner:close()
end)

test("records by number", function()
  local path = check.file("a,b\n1,x\n2,y\n3,z\n")
  local reader = assert(fastio.open_csv(path, {batch_rows = 1}))
  equal(reader:next().a[1], 1)
  equal(reader:count(), 3)
  equal(values(reader:slice(2, 3)), {{2, 3}, {"y", "z"}})
  equal(values(reader:slice(-1)), {{3}, {"z"}})
  equal(#reader:slice(4), 0)
  equal(#reader:slice(), 3)
  equal(reader:next().a[1], 2)
  reader:close()
  local piece = 0
  local object = {read = function() piece = piece + 1 return piece == 1 and "a\n1\n" or nil end}
  reader = assert(fastio.open_csv(object))
  fails("unsupported", "", reader:count())
  fails("unsupported", "", reader:slice(1, 2))
  equal(reader:next().a[1], 1)
  reader:close()
end)

test("a source can't use the reader that calls it", function()
  local reader, calls = nil, 0
  local object = {read = function()
    calls = calls + 1
    if calls == 1 then return "a\n" end
    if calls > 2000 then return nil end
    if reader then
      raises("its own callback", reader.next, reader)
      raises("its own callback", reader.close, reader)
    end
    return ("1\n"):rep(1000)
  end}
  reader = assert(fastio.open_csv(object, {batch_rows = 1000, block_size = 4096}))
  local rows = 0
  for batch in reader:batches() do rows = rows + #batch end
  equal(rows, 1999000)
end)

test("a file that is closed meanwhile", function()
  local file = assert(io.open(check.file("a\n1\n2\n3\n")))
  local reader = assert(fastio.open_csv(file, {batch_rows = 1}))
  equal(reader:next().a[1], 1)
  file:close()
  raises("was closed", reader.next, reader)
  reader:close()
end)

-- ---- sniffing and ranges ----

test("sniff gives options", function()
  local text = "a;b;c\n1,5;x;2024-01-01\n2,5;y;2024-01-02\n3,25;z;2024-01-03\n"
  local dialect = assert(fastio.sniff(fastio.data(text)))
  equal({dialect.sep, dialect.quote, dialect.decimal, dialect.header}, {";", '"', ",", true})
  equal({dialect.newline, dialect.skip_lines, dialect.comment}, {"lf", 0, false})
  equal({dialect.dtype.a, dialect.dtype.b, dialect.dtype.c}, {"float64", "string", "date"})
  local t = read(text, dialect)
  equal(t.a:totable(), {1.5, 2.5, 3.25})
  t = read(text, {dialect = dialect, usecols = {"b"}, dtype = "string", threads = 1})
  equal(t:names(), {"b"})
end)

test("sniff keeps what it is given", function()
  local dialect = assert(fastio.sniff(fastio.data("a b\n1 -\n2 3\n"), {null_values = "-", threads = 1, dialect = {trim = true}}))
  equal(dialect.null_values, "-")
  equal(dialect.trim, true)
  equal(dialect.threads, nil)
  equal(dialect.dialect, nil)
  equal(read("a b\n1 -\n2 3\n", dialect).b:totable(), {null, 3})
end)

test("ranges start at records", function()
  local lines = {}
  for i = 1, 500 do lines[i] = i .. ',"line\nbreak ' .. i .. '"' end
  local text = "a,b\n" .. table.concat(lines, "\n") .. "\n"
  for _, call in ipairs {{4}, {nil, {nbytes = 1000}}} do
    local ranges = assert(fastio.partition(fastio.data(text), call[1], call[2]))
    check.truthy(#ranges >= 4)
    local rows, offset = 0, 4
    for _, range in ipairs(ranges) do
      equal(range[1], offset)
      equal(range.at_record, true)
      offset = range[1] + range[2]
      local t = read(text, {range = range})
      for _, a, b in t:iter() do
        rows = rows + 1
        equal(a, rows)
        equal(b, "line\nbreak " .. rows)
      end
    end
    equal(offset, #text)
    equal(rows, 500)
  end
  equal(#assert(fastio.partition(fastio.data(text), {nbytes = 1e6})), 1)
  raises("number of parts", fastio.partition, fastio.data(text))
  raises("number of parts", fastio.partition, fastio.data(text), 2, {nbytes = 10})
  raises("number of parts", fastio.partition, fastio.data(text), 0)
end)

-- ---- closing ----

test("a closed table", function()
  local t = read(people)
  local step, s, i = t:iter()
  local rows = t:rows()
  t:close()
  t:close()
  for _, method in ipairs {"column", "column_count", "names", "dtypes", "row", "rows", "iter", "slice", "report"} do
    raises("the table is closed", t[method], t, 1)
  end
  raises("the table is closed", function() return #t end)
  raises("the table is closed", function() return t.age end)
  raises("the table is closed", step, s, i)
  raises("the table is closed", rows)
end)

test("methods check what they are called on", function()
  local t = read(people)
  raises("fastio.Table expected, got table", t.row, {}, 1)
  raises("fastio.Table expected, got userdata", t.row, t.age, 1)
  local reader = assert(fastio.open_csv(fastio.data(people)))
  raises("fastio.CsvReader expected", reader.next, t)
  reader:close()
end)

test("under the collector's pressure", function()
  collectgarbage("setpause", 0)
  collectgarbage("setstepmul", 10000)
  local text = "a,b,c\n" .. ("1,x,2024-01-01\n,y,\n"):rep(50)
  for _ = 1, 30 do
    local t = read(text, {dictionary = {"q"}, null_values = {"", "NA"}, names = {"p", "q", "r"}})
    local n = 0
    for row in t:slice(2):rows("q", "p") do n = n + (row.p or 0) + #row.q end
    equal(n, 148)
    for _, p, q in t:iter() do n = n + (p or 0) + #q end
    equal(n, 298)
    check.truthy(#tostring(t) > 100 and t.q.dictionary[2] == "y" and t:report().padded == 0)
    for batch in assert(fastio.open_csv(fastio.data(text), {batch_rows = 7, dtype = {c = "date"}})):batches() do
      check.truthy(batch.c.dtype == "date" and #batch <= 7)
    end
  end
  collectgarbage("setpause", 200)
  collectgarbage("setstepmul", 200)
end)

check.done()
