-- worker.lua - the Lua benchmark worker (see worker.h for the protocol).
-- usage: lua worker.lua DIRECTORY_OF_CLOCK JOB FILE [THREADS]
local clock_directory, job, path, threads = ...
package.cpath = clock_directory .. "/?.so;" .. package.cpath
local now = require("lua_clock")
threads = tonumber(threads or 1)
local fastio = job:match("^fastio_") and require("fastio")

local function timed(work)
  collectgarbage()
  local started = now()
  local a, b = work()
  return now() - started, a, b
end

local function text(count, sum)
  return string.format("%.0f %.0f", count, sum)
end

local jobs = {}

-- Lines: how many, and how many bytes without their ends.
local function drain(lines)
  local count, bytes = 0, 0
  for line in lines do
    count, bytes = count + 1, bytes + #line
  end
  return count, bytes
end

function jobs.lines()
  local seconds, count, bytes = timed(function() return drain(io.lines(path)) end)
  return seconds, text(count, bytes)
end

function jobs.fastio_lines()
  local seconds, count, bytes = timed(function()
    local count, bytes = 0, 0
    for line in fastio.lines(path) do
      count, bytes = count + 1, bytes + #line
    end
    return count, bytes
  end)
  return seconds, text(count, bytes)
end

-- Integers one at a time.
function jobs.read_number()
  local format = _VERSION == "Lua 5.1" and "*n" or "n"
  local seconds, count, sum = timed(function()
    local file = assert(io.open(path))
    local count, sum = 0, 0
    local value = file:read(format)
    while value do
      count, sum = count + 1, sum + value
      value = file:read(format)
    end
    file:close()
    return count, sum
  end)
  return seconds, text(count, sum)
end

function jobs.fastio_ints()
  local seconds, count, sum = timed(function()
    local count, sum = 0, 0
    for value in fastio.ints(path) do
      count, sum = count + 1, sum + value
    end
    return count, sum
  end)
  return seconds, text(count, sum)
end

function jobs.fastio_read_ints(check)
  local seconds, column = timed(function() return assert(fastio.read_ints(path, {threads = threads})) end)
  return seconds, check and text(#column, column:sum()) or ""
end

-- Tables of numbers: rows and the sums of all integers (columns named i...) and all floats (f...).
local function answer_columns(rows, names, sum_of)
  local ints, floats = 0, 0
  for index, name in ipairs(names) do
    if name:match("^i") then ints = ints + sum_of(index) else floats = floats + sum_of(index) end
  end
  return string.format("%.0f %.0f %.17g", rows, ints, floats)
end

function jobs.fastio_read_csv(check)
  local seconds, t = timed(function() return assert(fastio.read_csv(path, {threads = threads})) end)
  return seconds, check and answer_columns(#t, t:names(), function(i) return t:column(i):sum() end) or ""
end

function jobs.split(check)
  local names = {}
  local seconds, columns = timed(function()
    local columns, lines, row = {}, io.lines(path), 0
    for name in lines():gmatch("[^,]+") do
      names[#names + 1] = name
      columns[#names] = {}
    end
    for line in lines do
      local column = 0
      row = row + 1
      for field in line:gmatch("[^,]+") do
        column = column + 1
        columns[column][row] = tonumber(field)
      end
    end
    return columns
  end)
  if not check then return seconds, "" end
  return seconds, answer_columns(#columns[1], names, function(i)
    local sum = 0
    for _, value in ipairs(columns[i]) do sum = sum + value end
    return sum
  end)
end

-- LuaJIT: the sum of a column through its pointer, and of a plain FFI array with the same values.
local function sum_array(array, count)
  local sum = 0
  for i = 0, count - 1 do sum = sum + tonumber(array[i]) end
  return sum
end

local kept -- the column or array that the sum jobs use

function jobs.fastio_pointer_sum()
  kept = kept or assert(fastio.read_ints(path))
  local ffi = require("ffi")
  local count = #kept
  local seconds, sum = timed(function()
    return sum_array(ffi.cast("const int64_t *", kept:pointer()), count)
  end)
  return seconds, text(count, sum)
end

function jobs.ffi_sum()
  local ffi = require("ffi")
  if not kept then
    kept = {count = 0}
    for _ in io.lines(path) do kept.count = kept.count + 1 end
    kept.array = ffi.new("int64_t[?]", kept.count)
    local i = 0
    for line in io.lines(path) do
      kept.array[i] = tonumber(line)
      i = i + 1
    end
  end
  local seconds, sum = timed(function() return sum_array(kept.array, kept.count) end)
  return seconds, text(kept.count, sum)
end

-- Writing: ten million integers, a line each, to a fresh file.
local COUNT = 10000000
local target = (os.getenv("BENCH_OUT") or "/tmp") .. "/bench-write-lua-" .. job

local function timed_output(work)
  os.remove(target)
  local seconds = timed(work)
  local file = assert(io.open(target))
  local size = file:seek("end")
  file:close()
  os.remove(target)
  return seconds, text(COUNT, size)
end

function jobs.write()
  return timed_output(function()
    local file = assert(io.open(target, "w"))
    for i = 1, COUNT do file:write(i, "\n") end
    assert(file:close())
  end)
end

function jobs.fastio_write_int()
  return timed_output(function()
    local out = assert(fastio.open(target, "w"))
    for i = 1, COUNT do
      out:write_int(i)
      out:write("\n")
    end
    assert(out:close())
  end)
end

local integers

function jobs.fastio_write_ints()
  if not integers then
    integers = {}
    for i = 1, COUNT do integers[i] = i end
  end
  return timed_output(function()
    assert(fastio.write_ints(target, integers, {sep = "\n", threads = threads > 0 and threads or nil}))
  end)
end

local run = assert(jobs[job], "no such job")
print("ready")
io.stdout:flush()
for line in io.stdin:lines() do
  local seconds, answer = run(line == "check")
  print(string.format("%.9f\t%s", seconds, answer))
  io.stdout:flush()
end
