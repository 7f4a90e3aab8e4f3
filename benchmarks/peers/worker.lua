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

local run = assert(jobs[job], "no such job")
print("ready")
io.stdout:flush()
for line in io.stdin:lines() do
  local seconds, answer = run(line == "check")
  print(string.format("%.9f\t%s", seconds, answer))
  io.stdout:flush()
end
