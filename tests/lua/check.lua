-- The smallest harness that says what failed: check.test(name, f), then check.done().
local check = {}
local passed, failed = 0, 0

-- What a value looks like in a message: strings quoted, so that 1 and "1" differ.
local function show(value)
  if type(value) == "string" then return ("%q"):format(value) end
  if type(value) ~= "table" or getmetatable(value) then return tostring(value) end
  local parts = {}
  for i = 1, #value do parts[i] = show(value[i]) end
  return "{" .. table.concat(parts, ", ") .. "}"
end

local function same(a, b)
  if a == b or (a ~= a and b ~= b) then return true end
  if type(a) ~= "table" or type(b) ~= "table" or #a ~= #b then return false end
  for i = 1, #a do
    if not same(a[i], b[i]) then return false end
  end
  return true
end

function check.equal(got, expected, what)
  if not same(got, expected) then
    error(("%sgot %s, expected %s"):format(what and what .. ": " or "", show(got), show(expected)), 2)
  end
  if math.type and type(expected) == "number" and math.type(got) ~= math.type(expected) then
    error(("got %s %s, expected %s %s"):format(math.type(got), show(got), math.type(expected), show(expected)), 2)
  end
end

function check.truthy(value, what)
  if not value then error(what or "neither nil nor false expected", 2) end
  return value
end

local function contains(message, part)
  if not tostring(message):find(part, 1, true) then
    error(("the message %s lacks %s"):format(show(tostring(message)), show(part)), 3)
  end
end

-- The call raises something whose text has `part` in it. Returns what it raised.
function check.raises(part, f, ...)
  local ok, err = pcall(f, ...)
  if ok then error("no error was raised", 2) end
  contains(err, part)
  return err
end

-- The results nil, message, code, info of a failure. Returns the info.
function check.fails(code, part, ...)
  local count = select("#", ...)
  local value, message, got, info = ...
  if value ~= nil or count ~= 4 then error(("a failure expected, got %d results: %s"):format(count, show(value)), 2) end
  if got ~= code then error(("code %s, expected %s"):format(show(got), show(code)), 2) end
  contains(message, part)
  if info.message ~= message or tostring(info) ~= message then error("info has another message", 2) end
  return info
end

function check.test(name, f)
  local ok, message = xpcall(f, function(err) return debug.traceback(tostring(err), 2) end)
  if ok then
    passed = passed + 1
  else
    failed = failed + 1
    print("FAILED " .. name .. "\n" .. message)
  end
end

-- A new file with these bytes; removed by check.done.
local files = {}
function check.file(bytes)
  local path = os.tmpname()
  files[#files + 1] = path
  local file = assert(io.open(path, "wb"))
  assert(file:write(bytes))
  file:close()
  return path
end

function check.remove_later(path) files[#files + 1] = path end

-- How many files this process has open; pipes do not count, since this needs one.
function check.descriptors()
  local list = assert(io.popen("find /proc/" .. check.pid() .. "/fd -lname '/*'"))
  local count = 0
  for _ in list:lines() do count = count + 1 end
  list:close()
  return count
end

function check.pid()
  local file = assert(io.open("/proc/self/stat"))
  local pid = file:read("*a"):match("^%d+")
  file:close()
  return pid
end

-- The number of a descriptor of this process that is open on that path.
function check.descriptor(path)
  local list = assert(io.popen("find /proc/" .. check.pid() .. "/fd -lname '" .. path .. "' -printf '%f\\n'"))
  local number = list:read("*l")
  list:close()
  return assert(tonumber(number))
end

-- Resident memory in KiB.
function check.resident()
  local file = assert(io.open("/proc/self/status"))
  local kilobytes = file:read("*a"):match("VmRSS:%s*(%d+)")
  file:close()
  return tonumber(kilobytes)
end

function check.done()
  for _, path in ipairs(files) do os.remove(path) end
  print(("%d passed, %d failed"):format(passed, failed))
  os.exit(failed == 0 and passed > 0 and 0 or 1)
end

-- Integers that are exact in this Lua, beyond 2^53.
check.has_integers = math.type ~= nil

return check
