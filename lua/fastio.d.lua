---@meta fastio
-- Types of the module `fastio`, for LuaLS. Nothing here runs; docs/lua.md is the description.

---@class fastio
---@field null lightuserdata What `totable` puts in the place of a missing value.
---@field _VERSION string
local fastio = {}

---A path (`"-"` is standard input), a file descriptor, a file of `io`, `fastio.data(s)`, or an object with `read`.
---@alias fastio.Source string|integer|file*|fastio.Data|fastio.MappedFile|fastio.Column|fastio.Device

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
---@field record integer?
---@field field integer?
---@field text string? At most 64 of the offending bytes.

---@alias fastio.Code integer|string

---@alias fastio.DType "int8"|"int16"|"int32"|"int64"|"uint8"|"uint16"|"uint32"|"uint64"|"float32"|"float64"

---@alias fastio.Progress boolean|fun(done: number, total: number?): boolean?

---@class fastio.PartOptions
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
---@field base integer? Of integers, 2 to 36.
---@field overflow "ieee"|"error"|nil Of floats.
---@field int64 "error"|"string"|"cdata"|nil

---@class fastio.ColumnOptions: fastio.NumberOptions
---@field shape { [1]: integer, [2]: integer }?
---@field null_values string|string[]|nil
---@field max_items integer?
---@field threads integer?

---@class fastio.LineOptions: fastio.PartOptions
---@field encoding "utf-8"|"binary"|false|nil
---@field newline string? `"lf"`, `"any"` or one byte.
---@field keepends boolean?
---@field skip_lines integer?

---@class fastio.ReadLinesOptions: fastio.LineOptions
---@field max_items integer?
---@field threads integer?

---@class fastio.CountOptions: fastio.BytesOptions
---@field newline string?
---@field skip_lines integer?
---@field max_items integer?

---@class fastio.ReaderOptions: fastio.NumberOptions, fastio.LineOptions

---@alias fastio.Advice "normal"|"sequential"|"random"|"willneed"

---@class fastio.LoadOptions
---@field offset integer?
---@field length integer?
---@field advice fastio.Advice?
---@field populate boolean?
---@field huge boolean?
---@field guard boolean?

---All integers of the source.
---@param source fastio.Source
---@param options fastio.ColumnOptions?
---@return fastio.Column? column
---@return string? message
---@return fastio.Code? code
---@return fastio.Error? info
function fastio.read_ints(source, options) end

---All floats of the source.
---@param source fastio.Source
---@param options fastio.ColumnOptions?
---@return fastio.Column? column
---@return string? message
---@return fastio.Code? code
---@return fastio.Error? info
function fastio.read_floats(source, options) end

---All lines of the source.
---@param source fastio.Source
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
---@param source fastio.Source
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

---Reads one value at a time.
---@param source fastio.Source
---@param mode "r"|"rb"|nil
---@param options fastio.ReaderOptions?
---@return fastio.Reader? reader
---@return string? message
---@return fastio.Code? code
---@return fastio.Error? info
---@overload fun(source: fastio.Source, options: fastio.ReaderOptions): fastio.Reader?, string?, fastio.Code?, fastio.Error?
function fastio.open(source, mode, options) end

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

---Numbers in memory; never changes.
---@class fastio.Column
---@field dtype fastio.DType
---@field null_count integer
---@field shape integer[]
---@field [integer] fastio.Integer|number|nil
---@operator len: integer
local Column = {}

---@return fun(column: fastio.Column, i: integer): integer?, (fastio.Integer|number)?
---@return fastio.Column
---@return integer
function Column:iter() end

---The values i to j, as string.sub counts; fastio.null for missing ones.
---@param i integer?
---@param j integer?
---@return (fastio.Integer|number|lightuserdata)[]?
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

---@return (fastio.Integer|number)? least
---@return string? message
---@return fastio.Code? code
---@return fastio.Error? info
function Column:min() end

---@return (fastio.Integer|number)? greatest
---@return string? message
---@return fastio.Code? code
---@return fastio.Error? info
function Column:max() end

---A value of a matrix.
---@param row integer
---@param item integer
---@return (fastio.Integer|number)?
function Column:at(row, item) end

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

function Reader:close() end

---What owns the source of an iterator.
---@class fastio.Iterator
local Iterator = {}

function Iterator:close() end

return fastio
