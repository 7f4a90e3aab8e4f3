-- write.c in Lua.
local fastio = require "fastio"

local action, dest, size = arg[1], arg[2], tonumber(arg[3])
local piece = ("x"):rep(1000)

local function leave(stage, code, info)
  io.stderr:write(string.format("%s %s %s\n", stage, tonumber(code) or 0, info and info.status or "?"))
  os.exit(1)
end

local function zeros(count)
  local values = {}
  for i = 1, count do values[i] = 0 end
  return values
end

local function texts(count)
  local values = {}
  for i = 1, count do values[i] = "x" end
  return values
end

local actions = {}

function actions.pieces(writer)
  for left = size, 1, -#piece do
    local ok, _, code, info = writer:write(left < #piece and piece:sub(1, left) or piece)
    if not ok then return ok, _, code, info end
  end
  return true
end

function actions.once(writer) return writer:write(("\0"):rep(size)) end
function actions.ints(writer) return writer:write_ints(zeros(size)) end
function actions.floats(writer) return writer:write_floats(zeros(size)) end
function actions.lines(writer) return writer:write_lines(texts(size)) end
function actions.csv(writer) return writer:write_csv({name = texts(size)}, {names = {"name"}}) end
function actions.copy(writer) return fastio.copy("/dev/zero", writer, {length = size}) end
actions.flush, actions.sync = actions.pieces, actions.pieces
actions.atomic, actions.append, actions.exclusive = actions.once, actions.once, actions.once

local function stick(writer)
  local codes, ok = {}, true
  while ok do ok, _, codes[1] = writer:write(piece) end
  _, _, codes[2] = writer:write("x")
  _, _, codes[3] = writer:flush()
  _, _, codes[4] = writer:close()
  for i = 1, 4 do codes[i] = tonumber(codes[i]) or 0 end
  io.stderr:write(table.concat(codes, " "), "\n")
  os.exit(1)
end

if action == "naive" then -- the interpreter's exit code tells
  local out = dest == "-" and fastio.stdout or assert(fastio.open(dest, "w"))
  assert(out:print(("x"):rep(size)))
  if dest ~= "-" then assert(out:close()) end
  return
end

local mode = action == "append" and "a" or action == "exclusive" and "x" or "w"
local writer, _, code, info = fastio.open(dest, mode, {
  atomic = action == "atomic", compression = os.getenv("COMPRESSION"), encoding = os.getenv("ENCODING"),
  level = tonumber(os.getenv("LEVEL")), threads = tonumber(os.getenv("THREADS")),
})
if not writer then leave("open", code, info) end
if action == "stick" then stick(writer) end
local ok
ok, _, code, info = actions[action](writer)
if not ok then leave(writer:close() and "forgotten" or "write", code, info) end
for _, stage in ipairs {"flush", "sync", "close"} do
  if stage == action or stage == "close" then
    ok, _, code, info = writer[stage](writer)
    if not ok then leave(stage, code, info) end
  end
end
