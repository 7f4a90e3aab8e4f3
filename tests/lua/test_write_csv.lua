-- write_csv: Lua's own tables, Tables, readers; dialects; what it wrote reads back.
local fastio = require "fastio"
local check = require "check"
local test, equal, raises, fails = check.test, check.equal, check.raises, check.fails
local data, null = fastio.data, fastio.null

local function csv(what, options)
  local w = fastio.writer()
  equal(w:write_csv(what, options), w)
  return w:value()
end

local function read(text, options) return assert(fastio.read_csv(data(text), options)) end

test("rows", function()
  equal(csv {{1, "a"}, {2, "b"}}, "1,a\n2,b\n")
  equal(csv({{1, "a"}, {2, "b"}}, {names = {"n", "s"}}), "n,s\n1,a\n2,b\n")
  equal(csv({{1, "a"}}, {header = {"n", "s"}}), "n,s\n1,a\n")
  equal(csv({{1, "a"}}, {names = {"n", "s"}, header = false}), "1,a\n")
  equal(csv({{s = "a", n = 1}, {2, "b"}, {s = "c"}}, {names = {"n", "s"}}), "n,s\n1,a\n2,b\n,c\n")
  equal(csv({{1, nil, 3}, {nil, 5, null}}, {names = {"a", "b", "c"}}), "a,b,c\n1,,3\n,5,\n")
  equal(csv {{true, 0.5}, {false, -1}}, "true,0.5\nfalse,-1.0\n")
  equal(csv({}, {names = {"a", "b"}}), "a,b\n")
  equal(csv {}, "")
end)

test("columns", function()
  equal(csv({a = {1, 2}, b = {"x", "y"}}, {names = {"b", "a"}}), "b,a\nx,1\ny,2\n")
  equal(csv({a = {null, 2}, b = {null, null}}, {names = {"a", "b"}, null = "NA"}), "a,b\nNA,NA\n2,NA\n")
  local column = fastio.read_ints(data("1 2 3"))
  local strings = fastio.read_lines(data("p\nq\nr\ns"))
  equal(csv({a = column, b = strings:slice(2)}, {names = {"a", "b"}}), "a,b\n1,q\n2,r\n3,s\n")
  equal(csv({column, strings:slice(1, 3)}, {names = {"a", "b"}}), "a,b\n1,p\n2,q\n3,r\n")
  equal(csv({column:slice(2)}), "2\n3\n")
  raises("the option 'names'", csv, {a = {1}})
  raises("column 2 has 1 values, the first one 2", csv, {a = {1, 2}, b = {1}}, {names = {"a", "b"}})
  raises("column 2: a list or a Column expected, got nil", csv, {a = {1, 2}}, {names = {"a", "c"}})
end)

test("the type of a column comes from all its cells", function()
  equal(csv {{1}, {2.5}}, "1.0\n2.5\n")
  equal(csv {{1}, {"x"}, {true}}, "1\nx\ntrue\n")
  equal(csv {{1}, {true}}, "1\ntrue\n")
  equal(csv({{1}, {"x"}}, {quoting = "strings"}), '"1"\n"x"\n')
  equal(csv({{1}, {2}}, {quoting = "strings"}), "1\n2\n")
  if check.has_integers then
    equal(csv {{math.maxinteger}, {math.mininteger}}, "9223372036854775807\n-9223372036854775808\n")
    equal(csv {{math.maxinteger}, {0.5}}, "9223372036854775807\n0.5\n")
    equal(csv {{1.0}, {2.0}}, "1.0\n2.0\n")
  else
    equal(csv {{1.0}, {2.0}}, "1\n2\n")
  end
  if jit then
    local big, small = assert(loadstring("return 18446744073709551615ULL, -1LL"))()
    equal(csv {{big}, {1}}, "18446744073709551615\n1\n")
    equal(csv {{big}, {small}}, "18446744073709551615\n-1\n")
    equal(csv {{small}, {"x"}}, "-1\nx\n")
  end
end)

test("quotes", function()
  local rows = {{"a,b", 'q"q', "new\nline", " blank", "", "plain"}}
  equal(csv(rows), '"a,b","q""q","new\nline"," blank","",plain\n')
  equal(csv({{"a", 1, null, true}}, {quoting = "all"}), '"a","1",,"true"\n')
  equal(csv({{"a", 1, null}}, {quoting = "strings", names = {"x", "y", "z"}}), '"x","y","z"\n"a",1,\n')
  equal(csv({{'q"q'}}, {escape = "\\", quoting = "all"}), '"q\\"q"\n')
  equal(csv({{"it's", "a;b"}}, {sep = ";", quote = "'"}), "'it''s';'a;b'\n")
  equal(csv({{"a,b"}}, {quoting = "never", escape = "\\"}), "a\\,b\n")
  rows = {{1, "x"}, {2, "a,b"}}
  local info = fails("invalid_argument", "quotes or an escape", fastio.writer():write_csv(rows, {quoting = "never"}))
  equal({info.record, info.field}, {2, "column_2"})
end)

test("texts", function()
  local rows = {{true, 0 / 0, null}, {false, 1, "x"}}
  equal(csv(rows, {["true"] = "yes", ["false"] = "no", nan = "NaN", null = "-"}), "yes,NaN,-\nno,1.0,x\n")
  equal(csv({{1, 2}}, {sep = "\t", eol = "\r\n"}), "1\t2\r\n")
  equal(csv({{1, 2}}, {sep = " | "}), "1 | 2\n")
end)

test("formats: one, by name, by position", function()
  local rows, names = {{1, 0.5, "x"}, {2, 2 / 3, "y"}}, {"i", "f", "s"}
  equal(csv(rows, {format = fastio.fixed(2)}), "1.00,0.50,x\n2.00,0.67,y\n")
  equal(csv(rows, {names = names, header = false, format = {f = fastio.fixed(1)}}), "1,0.5,x\n2,0.7,y\n")
  equal(csv(rows, {format = {fastio.integer(2), fastio.scientific(1)}}), "1,5.0e-01,x\n10,6.7e-01,y\n")
  local formats = {false, "hexadecimal", fastio.shortest {width = 3}}
  equal(csv(rows, {format = formats}), "1,0x1p-1,x  \n2,0x1.5555555555555p-1,y  \n")
  raises('no column "q"', csv, rows, {names = names, format = {q = fastio.fixed(1)}})
  raises("no such column", csv, rows, {format = {[4] = fastio.fixed(1)}})
  raises("a format expected, got number", csv, rows, {format = {5}})
  raises("a format or a table of formats", csv, rows, {format = 5})
end)

test("a Table, and a part of it", function()
  local text = 'id,name,price,day,ok\n1,"a,b",0.5,2024-02-29,true\n2,,1e+300,,false\n3,c,,1999-12-31,\n'
  local t = read(text)
  equal(csv(t), text)
  equal(csv(t:slice(2)), 'id,name,price,day,ok\n2,,1e+300,,false\n3,c,,1999-12-31,\n')
  equal(csv(t:slice(3, 3), {header = false}), "3,c,,1999-12-31,\n")
  equal(csv(t:slice(4)), "id,name,price,day,ok\n")
  equal(csv(t, {names = {"a", "b", "c", "d", "e"}}):match("^[^\n]*"), "a,b,c,d,e")
  equal(csv({t.id, t.ok}, {names = {"i", "o"}}), "i,o\n1,true\n2,false\n3,\n")
  raises("not as many columns as names", csv, t, {names = {"a"}})
  local dictionary = read("w\nx\ny\nx\n", {dictionary = true})
  equal(csv(dictionary:slice(2)), "w\ny\nx\n")
  t:close()
  raises("closed", csv, t)
end)

test("a part of a Table at every place", function()
  local rows = {}
  for i = 1, 40 do
    local flag = i % 3 == 0 and "" or i % 2 == 0 and "true" or "false"
    rows[i] = ("%d,%s,%s,w%d"):format(i, flag, i % 5 == 0 and "" or i / 4, i)
  end
  local t = read("a,b,c,d\n" .. table.concat(rows, "\n") .. "\n", {dtype = {c = "float64", d = "string"}})
  local whole = {}
  for line in csv(t, {header = false}):gmatch("[^\n]+") do whole[#whole + 1] = line end
  equal(#whole, 40)
  for first = 1, 20 do
    local last = 41 - first
    equal(csv(t:slice(first, last), {header = false}), table.concat(whole, "\n", first, last) .. "\n")
  end
end)

test("a CsvReader, batch by batch", function()
  local lines = {"a,b"}
  for i = 1, 1000 do lines[#lines + 1] = i .. ",w" .. i end
  local text = table.concat(lines, "\n") .. "\n"
  local path = check.file("")
  local reader = assert(fastio.open_csv(data(text), {batch_rows = 17}))
  equal(fastio.write_csv(path, reader, {atomic = true}), true)
  local file = assert(io.open(path))
  equal(file:read("*a") == text, true)
  file:close()
  raises("at its end", csv, reader)
  reader:close()
  raises("closed", csv, reader)
  reader = assert(fastio.open_csv(data("a,b\n1,2\n"), {batch_rows = 1}))
  equal(csv(reader, {names = {"x", "y"}, format = {y = fastio.integer(2)}}), "x,y\n1,10\n")
  equal(csv(assert(fastio.open_csv(data("a,b\n")))), "a,b\n")
  reader = assert(fastio.open_csv(data("a\n1\n2\nx\n"), {batch_rows = 2}))
  local info = fails("bad_token", "x", fastio.write_csv(path, reader, {atomic = true}))
  equal(info.record, 3)
  file = assert(io.open(path))
  equal(file:read("*a") == text, true) -- the old file
  file:close()
end)

test("what it wrote reads back", function()
  local rows = {{1, "a", 0.1, true}, {-5, "with, comma", 1e300, false}, {9007199254740991, '"', -0.5, true},
                {0, "\n\n", 5e-324, false}}
  local names = {"i", "s", "f", "b"}
  for _, options in ipairs {{}, {quoting = "all"}, {quoting = "strings", eol = "\r\n"}, {sep = "\t"}} do
    options.names = names
    local t = read(csv(rows, options), {sep = options.sep})
    for i, row in ipairs(rows) do equal({t:row(i)}, row) end
  end
end)

test("misuse", function()
  raises("Table expected, got string", csv, "a,b")
  raises("Table expected, got function", csv, function() end)
  raises("row 2, column 1: a row is a table", csv, {{1}, 2})
  raises("row 1, column 2: a string, a number, a boolean or a null expected", csv, {{1, {}}})
  raises("row 2, column 2: there are more values than columns", csv, {{1}, {1, 2}})
  raises("'names'", csv, {{a = 1}})
  raises("bad option 'names'", csv, {{1}}, {names = {5}})
  raises("bad option 'names'", csv, {{1}}, {names = "a"})
  raises("bad option 'quoting'", csv, {{1}}, {quoting = "some"})
  raises("bad option 'sep'", csv, {{1}}, {sep = ""})
  raises("one byte", csv, {{1}}, {quote = "ab"})
  raises("unknown option", csv, {{1}}, {seperator = ","})
  raises("does not apply", csv, {{1}}, {comment = "#"})
end)

test("threads and blocks change nothing", function()
  local rows = {}
  for i = 1, 5000 do rows[i] = {i, i / 7, "w" .. i % 13, i % 2 == 0} end
  local text = csv(rows, {threads = 1})
  equal(csv(rows, {threads = 2, block_size = 1000}) == text, true)
  equal(csv(rows, {threads = 3, block_size = 1}) == text, true)
  local calls = 0
  csv(rows, {threads = 1, block_size = 1000, progress = function() calls = calls + 1 end})
  check.truthy(calls > 1)
  fails("cancelled", "", fastio.writer():write_csv(rows, {block_size = 1000, progress = function() return false end}))
end)

check.done()
