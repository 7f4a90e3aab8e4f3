-- Options of tables: every word does what it says, and says what is wrong with it.
local fastio = require "fastio"
local check = require "check"
local test, equal, raises, fails = check.test, check.equal, check.raises, check.fails

local function read(text, options) return assert(fastio.read_csv(fastio.data(text), options)) end

-- The names, then each column as a list.
local function whole(text, options)
  local t = read(text, options)
  local out = {t:names()}
  for i = 1, t:column_count() do out[i + 1] = t:column(i):totable() end
  return out
end

local null = fastio.null

local cases = {
  -- dialect
  {"sep", "a;b\n1;2\n", {sep = ";"}, {{"a", "b"}, {1}, {2}}},
  {"sep of several bytes", "a::b\n1::2:3\n", {sep = "::"}, {{"a", "b"}, {1}, {"2:3"}}},
  {"sep = false", "  a  b\n1\t 2  \n", {sep = false}, {{"a", "b"}, {1}, {2}}},
  {"widths", "aa b\n 1 2\n34 5\n", {widths = {2, 2}}, {{"aa", "b"}, {1, 34}, {2, 5}}},
  {"widths as pairs", "xaayb\nx11y2\n", {widths = {{2, 3}, {5, 5}}}, {{"aa", "b"}, {11}, {2}}},
  {"quote", "a,b\n'1,5',2\n", {quote = "'"}, {{"a", "b"}, {"1,5"}, {2}}},
  {"quote = false", 'a,b\n"1",2"\n', {quote = false}, {{"a", "b"}, {'"1"'}, {'2"'}}},
  {"quote_mode", 'a,b\nx"y,"z"\n', {quote_mode = "literal"}, {{"a", "b"}, {'x"y'}, {"z"}}},
  {"doublequote = true", 'a\n"x""y"\n', {doublequote = true}, {{"a"}, {'x"y'}}},
  {"escape", 'a,b\n"x\\"y",p\\,q\n', {escape = "\\"}, {{"a", "b"}, {'x"y'}, {"p,q"}}},
  {"newline = any", "a,b\r1,2\r3,4\r", {newline = "any"}, {{"a", "b"}, {1, 3}, {2, 4}}},
  {"newline as a byte", "a,b;1,2;3,4", {newline = ";"}, {{"a", "b"}, {1, 3}, {2, 4}}},
  {"comment", "# x\na,b\n#1,2\n3,4#5\n", {comment = "#"}, {{"a", "b"}, {3}, {"4#5"}}},
  {"comment_anywhere", "a,b\n3,4#5\n", {comment = "#", comment_anywhere = true}, {{"a", "b"}, {3}, {4}}},
  {"comment = false", "#a,b\n3,4\n", {comment = false}, {{"#a", "b"}, {3}, {4}}},
  {"trim", "a , b\n 1 ,\t2\n", {trim = true}, {{"a", "b"}, {1}, {2}}},
  {"trailing_sep", "a,b,\n1,2,\n", {trailing_sep = "ignore"}, {{"a", "b"}, {1}, {2}}},
  {"blank_lines = skip", "a\n1\n\n2\n", {blank_lines = "skip"}, {{"a"}, {1, 2}}},
  {"blank_lines = record", "a\n1\n\n2\n", {blank_lines = "record"}, {{"a"}, {1, null, 2}}},
  -- header and names
  {"header = false", "1,x\n2,y\n", {header = false}, {{"column_1", "column_2"}, {1, 2}, {"x", "y"}}},
  {"names", "a,b\n1,2\n", {names = {"p", "q"}}, {{"p", "q"}, {1}, {2}}},
  {"names without a header", "1,2\n", {names = {"p", "q"}, header = false}, {{"p", "q"}, {1}, {2}}},
  {"repair_names", "a,,a\n1,2,3\n", {repair_names = true}, {{"a", "column_2", "a_2"}, {1}, {2}, {3}}},
  -- which part
  {"skip_lines", "title, \"odd\na,b\n1,2\n", {skip_lines = 1}, {{"a", "b"}, {1}, {2}}},
  {"skip_rows", "a\n1\n2\n3\n", {skip_rows = 2}, {{"a"}, {3}}},
  {"max_rows", "a\n1\n2\nx,y\n", {max_rows = 2}, {{"a"}, {1, 2}}},
  {"usecols by name", "a,b,c\n1,2,3\n", {usecols = {"c", "a"}}, {{"c", "a"}, {3}, {1}}},
  {"usecols by position", "a,b,c\n1,2,3\n", {usecols = {3, "b"}}, {{"c", "b"}, {3}, {2}}},
  {"range", "a\n11\n22\n33\n", {range = {3, 6}}, {{"a"}, {22, 33}}},
  {"range to the end", "a\n11\n22\n33\n", {range = {4}}, {{"a"}, {22, 33}}},
  -- values
  {"null_values", "a\n-\n1\n", {null_values = "-"}, {{"a"}, {null, 1}}},
  {"null_values as a list", "a\n-\n1\nNA\n", {null_values = {"-", "NA"}}, {{"a"}, {null, 1, null}}},
  {"null_values as a map", "a,b\n-,-\n1,x\n", {null_values = {a = "-"}}, {{"a", "b"}, {null, 1}, {"-", "x"}}},
  {"null_values of nothing", "a,b\n,1\n", {null_values = {}}, {{"a", "b"}, {""}, {1}}},
  {"quoted_null", 'a,b\n"",1\nx,2\n', {quoted_null = true}, {{"a", "b"}, {null, "x"}, {1, 2}}},
  {"quoted_null = false", 'a,b\n"",1\n', {quoted_null = false}, {{"a", "b"}, {""}, {1}}},
  {"decimal", "a;b\n1,5;2\n", {sep = ";", decimal = ","}, {{"a", "b"}, {1.5}, {2}}},
  {"thousands", "a;b\n1,234,567;1\n", {sep = ";", thousands = ","}, {{"a", "b"}, {1234567}, {1}}},
  {"percent", "a\n12.5%\n", {percent = true}, {{"a"}, {0.125}}},
  {"unicode_minus", "a\n\226\136\1465\n", {unicode_minus = true}, {{"a"}, {-5}}},
  {"infer_rows", "a\n1\n2\n", {infer_rows = 0}, {{"a"}, {"1", "2"}}},
  {"big_ints = float", "a\n36893488147419103232\n", {big_ints = "float"}, {{"a"}, {2^65}}},
  {"big_ints = string", "a\n36893488147419103232\n", {big_ints = "string"}, {{"a"}, {"36893488147419103232"}}},
  {"overflow = ieee", "a\n1e400\n", {overflow = "ieee"}, {{"a"}, {math.huge}}},
  {"on_ragged = pad", "a,b\n1\n", {on_ragged = "pad"}, {{"a", "b"}, {1}, {null}}},
  {"on_ragged = truncate", "a,b\n1,2,3\n", {on_ragged = "truncate"}, {{"a", "b"}, {1}, {2}}},
  {"on_ragged = fit", "a,b\n1,2,3\n4\n", {on_ragged = "fit"}, {{"a", "b"}, {1, 4}, {2, null}}},
  {"on_ragged = skip", "a,b\n1,2,3\n4\n5,6\n", {on_ragged = "skip"}, {{"a", "b"}, {5}, {6}}},
  {"on_bad = null", "a\n1\nx\n", {on_bad = "null", dtype = "int64"}, {{"a"}, {1, null}}},
  {"on_bad = string", "a\n1\nx\n", {on_bad = "string", dtype = "int64"}, {{"a"}, {"1", "x"}}},
  -- dtype
  {"dtype for all", "a,b\n1,2\n", {dtype = "float64"}, {{"a", "b"}, {1.0}, {2.0}}},
  {"dtype = str", "a,b\n1,2\n", {dtype = "str"}, {{"a", "b"}, {"1"}, {"2"}}},
  {"dtype by name", "a,b\n1,2\n", {dtype = {b = "string"}}, {{"a", "b"}, {1}, {"2"}}},
  {"dtype by position", "a,b\n1,2\n", {dtype = {"string", "float64"}}, {{"a", "b"}, {"1"}, {2.0}}},
  {"dtype by one position", "a,b\n1,2\n", {dtype = {[2] = "string"}}, {{"a", "b"}, {1}, {"2"}}},
  {"dtype by pattern", "x1,x2,y\n1,2,3\n", {dtype = {["x*"] = "string"}}, {{"x1", "x2", "y"}, {"1"}, {"2"}, {3}}},
  {"a name wins over a position, a position over a pattern", "xa,xb,xc\n1,2,3\n",
   {dtype = {["x?"] = "string", [2] = "int64", xc = "float64", [3] = "int64"}}, {{"xa", "xb", "xc"}, {"1"}, {2}, {3.0}}},
  {"the longer pattern wins", "xa,xab\n1,2\n", {dtype = {["*"] = "float64", ["x*"] = "string", ["xa?"] = "int64"}},
   {{"xa", "xab"}, {"1"}, {2}}},
  -- dialect
  {"dialect", "a;b\n1;2\n", {dialect = {sep = ";", dtype = "string"}, dtype = "int64"}, {{"a", "b"}, {1}, {2}}},
  {"an option beside a dialect replaces its map", "a,b\n-,-\n", {dialect = {null_values = {a = "-"}}, null_values = "x"},
   {{"a", "b"}, {"-"}, {"-"}}},
  {"threads", "a\n1\n", {threads = 2}, {{"a"}, {1}}},
  {"block_size", "a,b\n123456,\"x\ny\"\n", {block_size = 1}, {{"a", "b"}, {123456}, {"x\ny"}}},
  {"a byte order mark", "\239\187\191a\n1\n", {}, {{"a"}, {1}}},
}

for _, case in ipairs(cases) do
  test(case[1], function() equal(whole(case[2], case[3]), case[4]) end)
end

test("overflow = error", function()
  fails("out_of_range", "1e400", fastio.read_csv(fastio.data("a\n1e400\n"), {overflow = "error", dtype = "float64"}))
end)

test("doublequote = false", function()
  fails("bad_quote", "", fastio.read_csv(fastio.data('a\n"x""y"\n'), {doublequote = false}))
end)

-- {part of the message, options, function}: raised before anything is read.
local misuse = {
  {"bad option 'sep': one or more bytes expected", {sep = ""}},
  {"bad option 'sep': a string expected, got number", {sep = 1}},
  {"bad option 'quote': one byte expected", {quote = "''"}},
  {"bad option 'quote': a string expected, got boolean", {quote = true}},
  {"bad option 'quote_mode': 'strict' or 'literal' expected", {quote_mode = "loose"}},
  {"bad option 'blank_lines': 'skip' or 'record' expected", {blank_lines = "keep"}},
  {"bad option 'trailing_sep': 'field' or 'ignore' expected", {trailing_sep = ""}},
  {"bad option 'on_ragged': 'error', 'pad', 'truncate', 'fit' or 'skip' expected", {on_ragged = "fill"}},
  {"bad option 'on_bad': 'error', 'null' or 'string' expected", {on_bad = "nil"}},
  {"bad option 'big_ints': 'string' or 'float' expected", {big_ints = "int"}},
  {"bad option 'header': a boolean expected, got number", {header = 0}},
  {"bad option 'names': a list of names expected, got string", {names = "a"}},
  {"bad option 'names': a string expected, got number", {names = {1}}},
  {"a column's name has a NUL byte", {names = {"a\0b"}}},
  {"bad option 'usecols': a list of columns expected", {usecols = "a"}},
  {"bad option 'usecols': a column's name or its position, from 1, expected", {usecols = {0}}},
  {"bad option 'usecols': a column's name or its position, from 1, expected, got boolean", {usecols = {true}}},
  {"bad option 'dtype': the name of a type expected", {dtype = "i8"}},
  {"bad option 'dtype': the name of a type expected", {dtype = {a = "binary"}}},
  {"bad option 'dtype': a string expected, got number", {dtype = {a = 1}}},
  {"bad option 'dtype': a column's name or its position", {dtype = {[0] = "int8"}}},
  {"bad option 'dictionary': a list of columns or a boolean expected", {dictionary = "a"}},
  {"bad option 'null_values': a string expected, got number", {null_values = {1}}},
  {"bad option 'null_values': a string expected, got boolean", {null_values = {a = {true}}}},
  {"bad option 'widths': a list of widths or of {first, last} expected", {widths = 3}},
  {"bad option 'widths': a list of widths or of {first, last} expected", {widths = {{1}}}},
  {"bad option 'widths': a list of widths or of {first, last} expected", {widths = {{3, 2}}}},
  {"bad option 'widths': a list of widths or of {first, last} expected", {widths = {0}}},
  {"bad option 'range': {offset, length} expected", {range = {}}},
  {"bad option 'range': {offset, length} expected", {range = 5}},
  {"bad option 'max_rows': a number of records expected, got string", {max_rows = "5"}},
  {"bad option 'max_rows': a number of records expected", {max_rows = -1}},
  {"bad option 'dialect': a table of options expected", {dialect = "excel"}},
  {"bad option 'dialect': it has a dialect of its own", {dialect = {dialect = {}}}},
  {"bad option 'sep': a string expected, got number", {dialect = {sep = 1}}},
  {"unknown option 'delimiter'", {delimiter = ","}},
  {"option 'max_items' does not apply to this function", {max_items = 5}},
  {"option 'batch_rows' does not apply to this function", {batch_rows = 5}},
  {"bad option 'batch_rows': a number of records, 1 or more, expected", {batch_rows = 0}, "open_csv"},
  {"option 'nbytes' does not apply to this function", {nbytes = 5}, "open_csv"},
  {"option 'range' does not apply to this function", {range = {0}}, "sniff"},
  {"option 'header' does not apply to this function", {header = true}, "read_ints"},
  {"option 'sep' does not apply to this function", {sep = ","}, "read_lines"},
}

test("misuse is said", function()
  for _, case in ipairs(misuse) do raises(case[1], fastio[case[3] or "read_csv"], fastio.data("a\n1\n"), case[2]) end
end)

test("options that contradict each other or the table", function()
  raises("", fastio.read_csv, fastio.data("a,b\n1,2\n"), {sep = ",", quote = ","})
  raises('"c"', fastio.read_csv, fastio.data("a,b\n1,2\n"), {usecols = {"c"}})
  raises('"c"', fastio.read_csv, fastio.data("a,b\n1,2\n"), {dtype = {c = "int8"}})
  equal(whole("a,b\n1,2\n", {dtype = {["c*"] = "int8"}}), {{"a", "b"}, {1}, {2}})
end)

test("the caller's tables are not needed any more", function()
  local names, texts = {"p" .. 1, "q" .. 1}, {a = {"N" .. 1}}
  local options = {names = names, null_values = {p1 = texts.a}, dtype = {q1 = "string"}, batch_rows = 1}
  local reader = assert(fastio.open_csv(fastio.data("a,b\nN1,2\n3,4\n"), options))
  options.names, options.dtype, options.null_values, names[1], texts.a[1], texts = nil, nil, nil, nil, nil, nil
  collectgarbage() collectgarbage()
  equal(select(2, assert(reader:next()):row(1)), "2")
  equal({reader:next():row(1)}, {"3", "4"}) -- the first batch has no value to tell a type by
end)

check.done()
