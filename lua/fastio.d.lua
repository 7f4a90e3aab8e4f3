---@meta fastio
-- Types of the module `fastio`, for LuaLS. Nothing here runs; docs/lua.md is the description.

---@class fastio
---@field null lightuserdata What `totable` puts in the place of a missing value.
---@field _VERSION string
---@field stdin fastio.Reader Made when it is first asked for, as the next three.
---@field stdout fastio.Writer
---@field stderr fastio.Writer
---@field log fastio.Writer Standard error, in whole lines.
local fastio = {}

---A path (`"-"` is standard input), a file descriptor, a file of `io`, `fastio.data(s)`, or an object with `read`.
---@alias fastio.Source string|integer|file*|fastio.Data|fastio.MappedFile|fastio.Column|fastio.Device

---Several sources, one behind the other.
---@alias fastio.Sources fastio.Source|(string|file*|fastio.Data|fastio.MappedFile|fastio.Column|fastio.Device)[]

---`"auto"` (by the first bytes), one of `compression_names()`, or false: the bytes are read as they are.
---@alias fastio.Compression "auto"|"gzip"|"bgzf"|"zlib"|"deflate"|"zstd"|"xz"|"bzip2"|"lz4"|false|string

---A string as data, made by `fastio.data`.
---@class fastio.Data

---Anything with a method that returns the next piece: `""` or nil at the end; nil and a message on failure.
---@class fastio.Device
---@field read fun(self: any, size: integer): string?, string?, integer?

---What an int64 or uint64 beyond this Lua's numbers becomes: a string or a cdata if the option `int64` says so.
---@alias fastio.Integer integer|string|ffi.cdata*

---What a failure returns as its fourth result, and what iterators raise.
---@class fastio.Error
---@field message string
---@field status string
---@field errno integer?
---@field path string?
---@field offset integer? From 0.
---@field lineno integer? From 1.
---@field colno integer? From 1, in bytes.
---@field raw_offset integer? Of a damaged archive: the byte of it, from 0; `offset` is what was decompressed.
---@field source integer? Which one of several sources, from 1.
---@field record integer? Of a table, from 1, without the header.
---@field field string|integer|nil The name of the column, or its number.
---@field text string? At most 64 of the offending bytes.

---@alias fastio.Code integer|string

---@alias fastio.DType "int8"|"int16"|"int32"|"int64"|"uint8"|"uint16"|"uint32"|"uint64"|"float32"|"float64"

---@alias fastio.ColumnType fastio.DType|"bool"|"string"|"date"|"time"|"timestamp[ns]"|"timestamp[ns, UTC]"|"dictionary"

---What a value of a column becomes: dates and times are ISO 8601 strings.
---@alias fastio.Value fastio.Integer|number|string|boolean

---@alias fastio.Progress boolean|fun(done: number, total: number?): boolean?

---@class fastio.DecodeOptions
---@field compression fastio.Compression?
---@field trailing "error"|"ignore"|nil What becomes of bytes behind an archive.
---@field max_size integer? The most bytes that are decompressed.
---@field encoding string|false|nil Its name; `"binary"` or false: bytes as they are.
---@field errors "strict"|"replace"|"skip"|nil What becomes of bytes that are not valid.

---What becomes of a last line or record without its newline.
---@alias fastio.Partial "emit"|"hold"|"error"

---@class fastio.PartOptions: fastio.DecodeOptions
---@field offset integer?
---@field length integer?
---@field block_size integer?
---@field progress fastio.Progress?

---@class fastio.BytesOptions: fastio.PartOptions
---@field threads integer?

---@class fastio.NumberOptions: fastio.PartOptions
---@field dtype fastio.DType?
---@field sep string? One byte.
---@field comment string? One byte.
---@field skip_lines integer?
---@field partial fastio.Partial?
---@field base integer? Of integers, 2 to 36.
---@field overflow "ieee"|"error"|nil Of floats.
---@field int64 "error"|"string"|"cdata"|nil

---@class fastio.ColumnOptions: fastio.NumberOptions
---@field shape { [1]: integer, [2]: integer }?
---@field null_values string|string[]|nil
---@field max_items integer?
---@field threads integer?

---@class fastio.LineOptions: fastio.PartOptions
---@field partial fastio.Partial?
---@field newline string? `"lf"`, `"any"` or one byte.
---@field keepends boolean?
---@field skip_lines integer?

---@class fastio.ReadLinesOptions: fastio.LineOptions
---@field max_items integer?
---@field threads integer?

---@class fastio.CountOptions: fastio.BytesOptions
---@field partial fastio.Partial?
---@field newline string?
---@field skip_lines integer?
---@field max_items integer?

---@class fastio.ReaderOptions: fastio.NumberOptions, fastio.LineOptions

---A range of bytes; `at_record` says that a record starts at the offset (as those of `partition` do).
---@class fastio.Range
---@field [1] integer Offset, from 0.
---@field [2] integer? Length; nil is the rest.
---@field at_record boolean?

---@class fastio.CsvOptions: fastio.DecodeOptions
---@field sep string|false|nil One or more bytes; false is a run of white space. `","` by default.
---@field widths (integer|{ [1]: integer, [2]: integer })[]|nil Fixed-width fields: widths, or {first, last} bytes from 1.
---@field quote string|false|nil One byte; false: there are no quotes.
---@field quote_mode "strict"|"literal"|nil
---@field doublequote boolean?
---@field escape string|false|nil One byte.
---@field newline string? `"lf"`, `"any"` or one byte.
---@field comment string|false|nil One byte.
---@field comment_anywhere boolean?
---@field trim boolean?
---@field trailing_sep "field"|"ignore"|nil
---@field blank_lines "skip"|"record"|nil
---@field header boolean?
---@field names string[]?
---@field repair_names boolean?
---@field skip_lines integer?
---@field skip_rows integer?
---@field max_rows integer?
---@field usecols (string|integer)[]|nil Names or positions from 1, in the order wanted.
---@field dtype fastio.ColumnType|table<string|integer, fastio.ColumnType>|nil For all, or by name, pattern or position.
---@field dictionary boolean|(string|integer)[]|nil Which columns of strings; true: all that are inferred.
---@field null_values string|string[]|table<string, string|string[]>|nil
---@field quoted_null boolean?
---@field infer_rows integer?
---@field big_ints "string"|"float"|nil
---@field decimal string? One byte.
---@field thousands string|false|nil One byte.
---@field percent boolean?
---@field unicode_minus boolean?
---@field overflow "ieee"|"error"|nil
---@field on_ragged "error"|"pad"|"truncate"|"fit"|"skip"|(fun(fields: string[], expected: integer): string[]?)|nil
---@field on_bad "error"|"null"|"string"|nil
---@field int64 "error"|"string"|"cdata"|nil
---@field dialect fastio.CsvOptions? Options that those beside it override.
---@field threads integer?
---@field block_size integer?
---@field progress fastio.Progress?

---@class fastio.ReadCsvOptions: fastio.CsvOptions
---@field range fastio.Range?
---@field partial fastio.Partial?
---@field file_column string? The name of a further, first column that tells the source of each row.

---@class fastio.OpenCsvOptions: fastio.ReadCsvOptions
---@field batch_rows integer?
---@field batch_bytes integer?

---@class fastio.PartitionOptions: fastio.CsvOptions
---@field nbytes integer? Of each range, about.

---A path (`"-"` is standard output), a file descriptor, a file of `io`, a Writer, or an object with `write`.
---@alias fastio.Dest string|integer|file*|fastio.Writer|fastio.OutputDevice

---Anything with a method that takes the next piece; nil and a message on failure. A method `flush` is called if it has one.
---@class fastio.OutputDevice
---@field write fun(self: any, text: string): any, string?, integer?
---@field flush (fun(self: any): any, string?, integer?)|nil

---@class fastio.WriterOptions
---@field atomic boolean? The file is replaced as a whole when the writer is closed.
---@field sync boolean? Closing waits for the disk.
---@field locked boolean?
---@field buffering "auto"|"full"|"line"|"none"|nil
---@field buffer_size integer?
---@field permissions integer?
---@field compression fastio.Compression? Without one by the ending of the path.
---@field level integer? Of the compression.
---@field threads integer? Of the compression, for zstd and bgzf.
---@field encoding string? What the text, which is UTF-8, becomes.
---@field errors "strict"|"replace"|"skip"|nil What becomes of characters that the encoding lacks.

---@class fastio.DestOptions: fastio.WriterOptions
---@field mode "w"|"a"|"x"|nil

---@class fastio.LinesOutOptions: fastio.DestOptions
---@field eol string? Behind each line; `["end"]` is the same.

---@class fastio.ArrayOptions: fastio.LinesOutOptions
---@field sep string? Between the values of a row.
---@field format fastio.AnyFormat|fastio.AnyFormat[]|nil One, or one for each column of the rows.
---@field null string? What is written for nulls.
---@field threads integer?
---@field block_size integer?
---@field progress fastio.Progress?

---@class fastio.WriteCsvOptions: fastio.DestOptions
---@field sep string? One or more bytes.
---@field eol string?
---@field header boolean|string[]|nil
---@field names string[]?
---@field quoting "minimal"|"strings"|"all"|"never"|nil
---@field quote string? One byte.
---@field escape string|false|nil One byte.
---@field null string?
---@field nan string?
---@field format fastio.AnyFormat|table<string|integer, fastio.AnyFormat|false>|nil For all columns, or by name or position.
---@field threads integer?
---@field block_size integer?
---@field progress fastio.Progress?

---@class fastio.CopyOptions: fastio.DestOptions
---@field source_compression fastio.Compression? Without it the bytes are copied as they are.
---@field source_encoding string?
---@field length integer?

---How a value is written; made by `fixed`, `scientific`, `general`, `hexadecimal`, `integer`, `shortest`.
---@class fastio.Format

---@alias fastio.AnyFormat fastio.Format|"shortest"|"hexadecimal"

---@class fastio.FormatOptions
---@field width integer?
---@field align "right"|"left"|"center"|"internal"|nil
---@field fill string? One ASCII character.
---@field sign "-"|"+"|" "|nil
---@field upper boolean?
---@field prefix boolean?
---@field percent boolean?
---@field keep_point boolean?
---@field base integer? Of integers, 2 to 36.
---@field locale { point: string?, group: string?, grouping: integer[]? }?

---A type of its own that a reader's `scan` reads: a field, or a metamethod.
---@class fastio.Scannable
---@field __fastio_scan fun(class: any, reader: fastio.Reader): any, string?, fastio.Code?, fastio.Error?

---@alias fastio.Advice "normal"|"sequential"|"random"|"willneed"

---@class fastio.LoadOptions
---@field offset integer?
---@field length integer?
---@field advice fastio.Advice?
---@field populate boolean?
---@field huge boolean?
---@field guard boolean?

---All integers of the source.
---@param source fastio.Sources
---@param options fastio.ColumnOptions?
---@return fastio.Column? column
---@return string? message
---@return fastio.Code? code
---@return fastio.Error? info
function fastio.read_ints(source, options) end

---All floats of the source.
---@param source fastio.Sources
---@param options fastio.ColumnOptions?
---@return fastio.Column? column
---@return string? message
---@return fastio.Code? code
---@return fastio.Error? info
function fastio.read_floats(source, options) end

---All lines of the source.
---@param source fastio.Sources
---@param options fastio.ReadLinesOptions?
---@return fastio.Lines? lines
---@return string? message
---@return fastio.Code? code
---@return fastio.Error? info
function fastio.read_lines(source, options) end

---The whole source as a column of uint8.
---@param source fastio.Source
---@param options fastio.BytesOptions?
---@return fastio.Column? bytes
---@return string? message
---@return fastio.Code? code
---@return fastio.Error? info
function fastio.read_bytes(source, options) end

---How many lines `lines` would give.
---@param source fastio.Sources
---@param options fastio.CountOptions?
---@return integer? count
---@return string? message
---@return fastio.Code? code
---@return fastio.Error? info
function fastio.count_lines(source, options) end

---Iterates over the lines. Raises a fastio.Error.
---@param source fastio.Source
---@param options fastio.LineOptions?
---@return fun(): string? step
---@return nil
---@return nil
---@return fastio.Iterator owner
function fastio.lines(source, options) end

---Iterates over the integers. Raises a fastio.Error.
---@param source fastio.Source
---@param options fastio.NumberOptions?
---@return fun(): fastio.Integer? step
---@return nil
---@return nil
---@return fastio.Iterator owner
function fastio.ints(source, options) end

---Iterates over the floats. Raises a fastio.Error.
---@param source fastio.Source
---@param options fastio.NumberOptions?
---@return fun(): number? step
---@return nil
---@return nil
---@return fastio.Iterator owner
function fastio.floats(source, options) end

---The source as a table.
---@param source fastio.Sources
---@param options fastio.ReadCsvOptions?
---@return fastio.Table? table
---@return string? message
---@return fastio.Code? code
---@return fastio.Error? info
function fastio.read_csv(source, options) end

---Reads a table batch by batch.
---@param source fastio.Sources
---@param options fastio.OpenCsvOptions?
---@return fastio.CsvReader? reader
---@return string? message
---@return fastio.Code? code
---@return fastio.Error? info
function fastio.open_csv(source, options) end

---The given options and what the start of the source looks like, as options of `read_csv`.
---@param source fastio.Source
---@param options fastio.CsvOptions?
---@return fastio.CsvOptions? dialect
---@return string? message
---@return fastio.Code? code
---@return fastio.Error? info
function fastio.sniff(source, options) end

---Ranges that start at true starts of records, for the option `range`: n of about equal size, or of about `nbytes` each.
---@param source fastio.Source
---@param n integer?
---@param options fastio.PartitionOptions?
---@return fastio.Range[]? ranges
---@return string? message
---@return fastio.Code? code
---@return fastio.Error? info
---@overload fun(source: fastio.Source, options: fastio.PartitionOptions): fastio.Range[]?, string?, fastio.Code?, fastio.Error?
function fastio.partition(source, n, options) end

---Reads one value at a time.
---@param source fastio.Source
---@param mode "r"|"rb"|nil
---@param options fastio.ReaderOptions?
---@return fastio.Reader? reader
---@return string? message
---@return fastio.Code? code
---@return fastio.Error? info
---@overload fun(source: fastio.Source, options: fastio.ReaderOptions): fastio.Reader?, string?, fastio.Code?, fastio.Error?
---@overload fun(dest: fastio.Dest, mode: "w"|"a"|"x", options: fastio.WriterOptions?): fastio.Writer?, string?, fastio.Code?, fastio.Error?
function fastio.open(source, mode, options) end

---A writer into memory.
---@return fastio.Writer
function fastio.writer() end

---A list of integers, a list of such lists (rows), or a column of integers.
---@param dest fastio.Dest
---@param data integer[]|integer[][]|fastio.Column
---@param options fastio.ArrayOptions?
---@return fastio.Writer|true|nil done The Writer that was given, or true.
---@return string? message
---@return fastio.Code? code
---@return fastio.Error? info
function fastio.write_ints(dest, data, options) end

---A list of numbers, a list of such lists (rows), or a column of floats.
---@param dest fastio.Dest
---@param data number[]|number[][]|fastio.Column
---@param options fastio.ArrayOptions?
---@return fastio.Writer|true|nil done
---@return string? message
---@return fastio.Code? code
---@return fastio.Error? info
function fastio.write_floats(dest, data, options) end

---A list of lines, an iterator over them, or a column of strings.
---@param dest fastio.Dest
---@param lines (string|number)[]|fun(): (string|number|nil)|fastio.Lines|fastio.Column
---@param options fastio.LinesOutOptions?
---@return fastio.Writer|true|nil done
---@return string? message
---@return fastio.Code? code
---@return fastio.Error? info
function fastio.write_lines(dest, lines, options) end

---A Table, what is left of a CsvReader, a list of rows, columns by name, or a list of columns.
---@param dest fastio.Dest
---@param data fastio.Table|fastio.CsvReader|table
---@param options fastio.WriteCsvOptions?
---@return fastio.Writer|true|nil done
---@return string? message
---@return fastio.Code? code
---@return fastio.Error? info
function fastio.write_csv(dest, data, options) end

---Copies the rest of the source.
---@param source fastio.Source
---@param dest fastio.Dest
---@param options fastio.CopyOptions?
---@return integer? bytes
---@return string? message
---@return fastio.Code? code
---@return fastio.Error? info
function fastio.copy(source, dest, options) end

---`precision` digits behind the point, as C's `%f`.
---@param precision integer? nil: as many digits as the value needs.
---@param options fastio.FormatOptions?
---@return fastio.Format
---@overload fun(options: fastio.FormatOptions): fastio.Format
function fastio.fixed(precision, options) end

---One digit before the point, `precision` behind it, as C's `%e`.
---@param precision integer? nil: as many digits as the value needs.
---@param options fastio.FormatOptions?
---@return fastio.Format
---@overload fun(options: fastio.FormatOptions): fastio.Format
function fastio.scientific(precision, options) end

---`precision` significant digits, as C's `%g`.
---@param precision integer? nil: as many digits as the value needs.
---@param options fastio.FormatOptions?
---@return fastio.Format
---@overload fun(options: fastio.FormatOptions): fastio.Format
function fastio.general(precision, options) end

---As C's `%a`; without a precision all digits.
---@param precision integer?
---@param options fastio.FormatOptions?
---@return fastio.Format
---@overload fun(options: fastio.FormatOptions): fastio.Format
function fastio.hexadecimal(precision, options) end

---Integers in a base from 2 to 36.
---@param base integer?
---@param options fastio.FormatOptions?
---@return fastio.Format
---@overload fun(options: fastio.FormatOptions): fastio.Format
function fastio.integer(base, options) end

---The shortest digits that read back as the same value; for width, sign, locale and the like.
---@param options fastio.FormatOptions?
---@return fastio.Format
function fastio.shortest(options) end

---Any value as text.
---@param value any
---@param format fastio.AnyFormat?
---@return string
function fastio.format(value, format) end

---The texts of all values, one behind the other.
---@param ... any
---@return string
function fastio.concat(...) end

---Maps a file as memory.
---@param path string|integer A path or a file descriptor.
---@param options fastio.LoadOptions?
---@return fastio.MappedFile? map
---@return string? message
---@return fastio.Code? code
---@return fastio.Error? info
function fastio.load(path, options) end

---The string as a source, where a plain string would be a path.
---@param bytes string
---@return fastio.Data
function fastio.data(bytes) end

---Whether failures raise; sets it if given.
---@param on boolean?
---@return boolean before
function fastio.strict(on) end

---The integer that the whole text is.
---@param text string
---@param options { base: integer?, dtype: fastio.DType?, int64: string? }?
---@return fastio.Integer? value
---@return string? message
---@return fastio.Code? code
---@return fastio.Error? info
function fastio.parse_int(text, options) end

---The float that the whole text is, correctly rounded.
---@param text string
---@param options { dtype: "float32"|"float64"|nil }?
---@return number? value
---@return string? message
---@return fastio.Code? code
---@return fastio.Error? info
function fastio.parse_float(text, options) end

---The digits of an integer; beyond this Lua's numbers it is given as a string of decimal digits.
---@param value integer|string
---@param options { base: integer? }?
---@return string
function fastio.format_int(value, options) end

---The shortest digits that read back as the same value.
---@param value number
---@param options { dtype: "float32"|"float64"|nil }?
---@return string
function fastio.format_float(value, options) end

---The days since 1970-01-01 of the date that the whole text is, such as `2024-02-29`.
---@param text string
---@return integer? days
---@return string? message
---@return fastio.Code? code
---@return fastio.Error? info
function fastio.parse_date(text) end

---The nanoseconds since midnight of the time of day that the whole text is: `23:59`, `23:59:59`, or with up to 9 decimals.
---@param text string
---@return integer? nanoseconds
---@return string? message
---@return fastio.Code? code
---@return fastio.Error? info
function fastio.parse_time(text) end

---The nanoseconds since 1970-01-01 of the ISO 8601 or RFC 3339 timestamp that the whole text is, and whether it has a zone: then
---they are in UTC, else those of a clock without one.
---@param text string
---@param options { int64: "error"|"string"|"cdata"|nil }?
---@return fastio.Integer? nanoseconds
---@return boolean|string|nil has_zone or the message
---@return fastio.Code? code
---@return fastio.Error? info
function fastio.parse_timestamp(text, options) end

---The date so many days after 1970-01-01, years 1 to 9999.
---@param days integer|string
---@return string
function fastio.format_date(days) end

---The time of day so long after midnight, with 3, 6 or 9 decimals if it takes them.
---@param nanoseconds integer|string
---@return string
function fastio.format_time(nanoseconds) end

---The timestamp so long after 1970-01-01, with 3, 6 or 9 decimals if it takes them; in UTC, with a Z, if `has_zone`.
---@param nanoseconds integer|string
---@param has_zone boolean?
---@return string
function fastio.format_timestamp(nanoseconds, has_zone) end

---Two hexadecimal digits for each byte, in lower case unless `upper`.
---@param data string
---@param options { upper: boolean? }?
---@return string
function fastio.format_hex(data, options) end

---The paths that a pattern names, sorted: `*`, `?`, `[a-z]`. It is a failure if there are none.
---@param pattern string
---@return string[]? paths
---@return string? message
---@return fastio.Code? code
---@return fastio.Error? info
function fastio.glob(pattern) end

---The bytes of a text in another encoding.
---@param data string|fastio.Column|fastio.MappedFile
---@param from string
---@param to string? `"utf-8"` by default.
---@param options { errors: "strict"|"replace"|"skip"|nil }?
---@return string? text
---@return string? message
---@return fastio.Code? code
---@return fastio.Error? info
function fastio.transcode(data, from, to, options) end

---Whether all of it is well-formed UTF-8.
---@param data string|fastio.Column|fastio.MappedFile
---@return boolean
function fastio.validate_utf8(data) end

---The length of the longest prefix that is well-formed UTF-8.
---@param data string|fastio.Column|fastio.MappedFile
---@return integer
function fastio.utf8_valid(data) end

---How many code points there are.
---@param data string|fastio.Column|fastio.MappedFile
---@return integer? count
---@return string? message
---@return fastio.Code? code
---@return fastio.Error? info
function fastio.count_utf8(data) end

---The usual name of an encoding, such as `"UTF-16LE"` for `"utf_16le"`; nil if it is not known here.
---@param name string
---@return string?
function fastio.encoding_name(name) end

---The compressions that this build reads and writes.
---@return string[]
function fastio.compression_names() end

---The version of the C library.
---@return string
function fastio.version() end

---One line: version, compiler, kernels and libraries built in.
---@return string
function fastio.build_info() end

---The names that `cpu_select` takes here, slowest first.
---@return string[]
function fastio.cpu_names() end

---The name of the kernels in use.
---@return string
function fastio.cpu_selected() end

---Uses the named kernels from now on in the whole process; `"auto"` or nil returns to the best.
---@param name string?
---@return boolean? done
---@return string? message
---@return fastio.Code? code
---@return fastio.Error? info
function fastio.cpu_select(name) end

---Values in memory; never changes.
---@class fastio.Column
---@field dtype fastio.ColumnType
---@field null_count integer
---@field decode_errors integer How many sequences were replaced or left out.
---@field shape integer[]
---@field dictionary fastio.Column? The strings of a dictionary.
---@field [integer] fastio.Value?
---@operator len: integer
local Column = {}

---@return fun(column: fastio.Column, i: integer): integer?, fastio.Value?
---@return fastio.Column
---@return integer
function Column:iter() end

---The values i to j, as string.sub counts; fastio.null for missing ones.
---@param i integer?
---@param j integer?
---@return (fastio.Value|lightuserdata)[]?
---@return string? message
---@return fastio.Code? code
---@return fastio.Error? info
function Column:totable(i, j) end

---A column of the same memory.
---@param i integer?
---@param j integer?
---@return fastio.Column
function Column:slice(i, j) end

---Exact for integers.
---@return (fastio.Integer|number)? sum
---@return string? message
---@return fastio.Code? code
---@return fastio.Error? info
function Column:sum() end

---@return number? mean
function Column:mean() end

---@return (fastio.Integer|number|string)? least
---@return string? message
---@return fastio.Code? code
---@return fastio.Error? info
function Column:min() end

---@return (fastio.Integer|number|string)? greatest
---@return string? message
---@return fastio.Code? code
---@return fastio.Error? info
function Column:max() end

---A value of a matrix.
---@param row integer
---@param item integer
---@return (fastio.Integer|number)?
function Column:at(row, item) end

---The integer behind a date, a time, a bool or a string of a dictionary (counted from 0); numbers as they are.
---@param i integer
---@return (fastio.Integer|number)? value
---@return string? message
---@return fastio.Code? code
---@return fastio.Error? info
function Column:raw(i) end

---The address of the first value (an FFI pointer on LuaJIT) and the number of values.
---@return lightuserdata|ffi.cdata* address
---@return integer length
function Column:pointer() end

---Of a column of uint8: the bytes i to j.
---@param i integer?
---@param j integer?
---@return string
function Column:sub(i, j) end

---Of a column of uint8: one byte.
---@param i integer?
---@return integer?
function Column:byte(i) end

---Of a column of uint8: the first and last position of these very bytes.
---@param text string
---@param init integer?
---@return integer? first
---@return integer? last
function Column:find(text, init) end

---Gives the memory back now.
function Column:close() end

---Lines in memory; never change.
---@class fastio.Lines
---@field dtype "string"|"binary"
---@field null_count integer
---@field decode_errors integer How many sequences were replaced or left out.
---@field shape integer[]
---@field [integer] string?
---@operator len: integer
local Lines = {}

---@return fun(lines: fastio.Lines, i: integer): integer?, string?
---@return fastio.Lines
---@return integer
function Lines:iter() end

---@param i integer?
---@param j integer?
---@return string[]
function Lines:totable(i, j) end

---@param i integer?
---@param j integer?
---@return fastio.Lines
function Lines:slice(i, j) end

function Lines:close() end

---Columns with names; never changes. `table.name` is `table:column("name")` unless a method has that name; `table[i]` is
---row i as a table.
---@class fastio.Table
---@field [integer] table<string, fastio.Value>?
---@field [string] fastio.Column?
---@operator len: integer
local Table = {}

---@param column string|integer A name or a position from 1.
---@return fastio.Column
function Table:column(column) end

---@return integer
function Table:column_count() end

---@return string[]
function Table:names() end

---@return table<string, fastio.ColumnType>
function Table:dtypes() end

---The values of row i.
---@param i integer
---@return fastio.Value? ...
function Table:row(i) end

---Each row as a new table, of all columns or of the given ones.
---@param ... string|integer
---@return fun(): table<string, fastio.Value>?
function Table:rows(...) end

---The number and the values of each row, of all columns or of the given ones.
---@param ... string|integer
---@return fun(table: fastio.Table, i: integer): integer?, ...
---@return fastio.Table
---@return integer
function Table:iter(...) end

---The rows i to j, as string.sub counts: a table of the same memory.
---@param i integer?
---@param j integer?
---@return fastio.Table
function Table:slice(i, j) end

---What reading left out or changed.
---@return fastio.Report
function Table:report() end

---How many sequences of the source were replaced or left out.
---@return integer
function Table:decode_errors() end

---Gives the memory back now, unless columns that were taken share it.
function Table:close() end

---Counts, and the first hundred places.
---@class fastio.Report
---@field padded integer
---@field truncated integer
---@field skipped integer
---@field replaced integer By the function of on_ragged.
---@field bad_cells integer
---@field blank_lines integer
---@field comment_lines integer
---@field places { status: string, offset: integer, lineno: integer, record: integer, field: integer }[]

---Reads a table batch by batch.
---@class fastio.CsvReader
local CsvReader = {}

---The next batch; nil alone at the end.
---@return fastio.Table? batch
---@return string? message
---@return fastio.Code? code
---@return fastio.Error? info
function CsvReader:next() end

---Iterates over the batches that are left, and closes the reader in the end. Raises a fastio.Error.
---@return fun(): fastio.Table? step
---@return nil
---@return nil
---@return fastio.CsvReader reader
function CsvReader:batches() end

---@return string[]? names
---@return string? message
---@return fastio.Code? code
---@return fastio.Error? info
function CsvReader:names() end

---@return table<string, fastio.ColumnType>? dtypes
---@return string? message
---@return fastio.Code? code
---@return fastio.Error? info
function CsvReader:dtypes() end

---How many records there are, wherever `next` is.
---@return integer? count
---@return string? message
---@return fastio.Code? code
---@return fastio.Error? info
function CsvReader:count() end

---The records i to j, as string.sub counts, wherever `next` is.
---@param i integer?
---@param j integer?
---@return fastio.Table? records
---@return string? message
---@return fastio.Code? code
---@return fastio.Error? info
function CsvReader:slice(i, j) end

---How many sequences were replaced or left out so far.
---@return integer
function CsvReader:decode_errors() end

function CsvReader:close() end

---A file as memory.
---@class fastio.MappedFile
---@field path string
---@field is_mapped boolean
---@field closed boolean
---@operator len: integer
local MappedFile = {}

---The bytes i to j.
---@param i integer?
---@param j integer?
---@return string
function MappedFile:sub(i, j) end

---@param i integer?
---@return integer?
function MappedFile:byte(i) end

---The first and last position of these very bytes.
---@param text string
---@param init integer?
---@return integer? first
---@return integer? last
function MappedFile:find(text, init) end

---@return lightuserdata|ffi.cdata* address
---@return integer size
function MappedFile:pointer() end

---Fails once a page of a guarded map was lost.
---@return boolean?
---@return string? message
---@return fastio.Code? code
---@return fastio.Error? info
function MappedFile:check() end

---How the bytes i to j will be read.
---@param advice fastio.Advice
---@param i integer?
---@param j integer?
function MappedFile:advise(advice, i, j) end

function MappedFile:close() end

---Reads one value at a time. Every read_ gives nil alone at the end of the data.
---@class fastio.Reader
local Reader = {}

---@return fastio.Integer? value
---@return string? message
---@return fastio.Code? code
---@return fastio.Error? info
function Reader:read_int() end

---@return number? value
---@return string? message
---@return fastio.Code? code
---@return fastio.Error? info
function Reader:read_float() end

---@return string? token
---@return string? message
---@return fastio.Code? code
---@return fastio.Error? info
function Reader:read_token() end

---@return string? line
---@return string? message
---@return fastio.Code? code
---@return fastio.Error? info
function Reader:read_line() end

---Consumes exactly these bytes.
---@param text string
---@return boolean? done
---@return string? message
---@return fastio.Code? code
---@return fastio.Error? info
function Reader:expect(text) end

---Passes the next token, whatever it is.
---@return boolean? done
---@return string? message
---@return fastio.Code? code
---@return fastio.Error? info
function Reader:skip() end

---The next token, which stays.
---@return string? token
---@return string? message
---@return fastio.Code? code
---@return fastio.Error? info
function Reader:peek_token() end

---A value for each type; nil at the end of the data.
---@param ... "int"|"float"|"token"|"line"|fastio.Scannable
---@return any ... The values; or nil, message, code, info.
function Reader:scan(...) end

---The results of a failure at the next token, which stays: for own types to return.
---@param message string
---@return nil
---@return string message
---@return fastio.Code code
---@return fastio.Error info
function Reader:fail(message) end

---Reads another source, while the function runs or until `redirect(nil)`; then goes on where it was.
---@param source fastio.Source?
---@param f (fun(): ...)|nil
---@return any ... The reader, or what the function returns; or nil, message, code, info.
function Reader:redirect(source, f) end

---@return fun(): fastio.Integer?
function Reader:ints() end

---@return fun(): number?
function Reader:floats() end

---@return fun(): string?
function Reader:tokens() end

---@return fun(): string?
function Reader:lines() end

---Of the next unread byte, from 0.
---@return integer
function Reader:offset() end

---Of the next unread byte, from 1.
---@return integer
function Reader:lineno() end

---How many sequences were replaced or left out so far.
---@return integer
function Reader:decode_errors() end

function Reader:close() end

---What owns the source of an iterator.
---@class fastio.Iterator
local Iterator = {}

function Iterator:close() end

return fastio

---@class fastio.Writer
local Writer = {}

---Strings and numbers, one behind the other.
---@param ... string|number
---@return fastio.Writer? self
---@return string? message
---@return fastio.Code? code
---@return fastio.Error? info
function Writer:write(...) end

---Any values, with tabs between them and a newline behind them.
---@param ... any
---@return fastio.Writer? self
---@return string? message
---@return fastio.Code? code
---@return fastio.Error? info
function Writer:print(...) end

---@param value fastio.Integer
---@param format fastio.AnyFormat?
---@return fastio.Writer? self
---@return string? message
---@return fastio.Code? code
---@return fastio.Error? info
function Writer:write_int(value, format) end

---@param value number
---@param format fastio.AnyFormat?
---@return fastio.Writer? self
---@return string? message
---@return fastio.Code? code
---@return fastio.Error? info
function Writer:write_float(value, format) end

---As `fastio.write_ints`.
---@param data integer[]|integer[][]|fastio.Column
---@param options fastio.ArrayOptions?
---@return fastio.Writer? self
---@return string? message
---@return fastio.Code? code
---@return fastio.Error? info
function Writer:write_ints(data, options) end

---As `fastio.write_floats`.
---@param data number[]|number[][]|fastio.Column
---@param options fastio.ArrayOptions?
---@return fastio.Writer? self
---@return string? message
---@return fastio.Code? code
---@return fastio.Error? info
function Writer:write_floats(data, options) end

---As `fastio.write_lines`.
---@param lines (string|number)[]|fun(): (string|number|nil)|fastio.Lines|fastio.Column
---@param options fastio.LinesOutOptions?
---@return fastio.Writer? self
---@return string? message
---@return fastio.Code? code
---@return fastio.Error? info
function Writer:write_lines(lines, options) end

---As `fastio.write_csv`.
---@param data fastio.Table|fastio.CsvReader|table
---@param options fastio.WriteCsvOptions?
---@return fastio.Writer? self
---@return string? message
---@return fastio.Code? code
---@return fastio.Error? info
function Writer:write_csv(data, options) end

---@return fastio.Writer? self
---@return string? message
---@return fastio.Code? code
---@return fastio.Error? info
function Writer:flush() end

---Flushes, and waits for the disk.
---@return fastio.Writer? self
---@return string? message
---@return fastio.Code? code
---@return fastio.Error? info
function Writer:sync() end

---Flushes and closes: the call that tells whether everything was written.
---@return true? done
---@return string? message
---@return fastio.Code? code
---@return fastio.Error? info
function Writer:close() end

---Closes without writing what is in the buffer; an atomic writer leaves the old file.
function Writer:discard() end

---How many bytes it has taken.
---@return integer
function Writer:tell() end

---What a writer into memory holds.
---@return string? value
---@return string? message
---@return fastio.Code? code
---@return fastio.Error? info
function Writer:value() end

---Writes to another dest, while the function runs or until `redirect(nil)`.
---@param dest fastio.Dest?
---@param f (fun(): ...)|nil
---@return any ... The writer, or what the function returns; or nil, message, code, info.
function Writer:redirect(dest, f) end
