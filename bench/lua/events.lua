-- Posts batches of new events, each of another player (sessions.lua). BENCH_KIND: one of event-kinds.lua; BENCH_BATCH: events
-- a request; BENCH_AGE: how old they are (AGES). Formatting every event would take CPU from the service that is measured: the batch is split at its marks once,
-- and each request fills them in.
local LUA = os.getenv("BENCH_LUA")
local kind, batch, run = os.getenv("BENCH_KIND") or "plain", tonumber(os.getenv("BENCH_BATCH")), os.getenv("BENCH_RUN")
local kinds = dofile(LUA .. "/event-kinds.lua")
local timestamp = dofile(LUA .. "/clock.lua")
local HOUR, REFUND_EVERY, VARIANTS = 3600, 20, 16
local isSequenced = kind:find("sequenced") ~= nil
local all, serial, nextSession, templates, refund = {}, 0, nil, {}, nil
used = 0

function setup(thread)
  thread:set("id", #all)
  all[#all + 1] = thread
end

-- The text of a batch in parts, and where in them its marks are.
local function cut(text)
  local parts, marks, from = {}, {}, 1
  for at, mark in text:gmatch("()([@#$])") do
    parts[#parts + 1] = text:sub(from, at - 1)
    parts[#parts + 1] = mark
    marks[#marks + 1] = { mark = mark, at = #parts }
    from = at + 1
  end
  parts[#parts + 1] = text:sub(from)
  return { parts = parts, marks = marks }
end

local function batchOf(makeEvent, first)
  local events = {}
  for n = 1, batch do events[n] = makeEvent(run, first + n) end
  return cut("[" .. table.concat(events, ",") .. "]")
end

function init()
  nextSession = dofile(LUA .. "/sessions.lua")(id)
  math.randomseed(id + tonumber(run) % 1000000)
  -- Sizes and prices vary.
  local isVaried = kind == "large" or kind == "purchases"
  for n = 1, isVaried and VARIANTS or 1 do templates[n] = batchOf(kinds[kind], (n - 1) * batch) end
  refund = batchOf(kinds.refund, 0)
end

local function ago(seconds)
  local time = os.date("!%Y-%m-%dT%H:%M:%S", os.time() - math.floor(seconds))
  return time .. string.format(".%03dZ", math.random(0, 999))
end

local AGES = {
  now = timestamp,
  -- An hour to six weeks, as of players who were offline: half of them less than two days.
  late = function() return ago(HOUR * math.exp(math.random() * math.log(6 * 7 * 24))) end,
  -- Spread over the last week.
  week = function() return ago(math.random() * 6 * 24 * HOUR) end,
}
local timeOfBatch = AGES[os.getenv("BENCH_AGE") or "now"]

local function fill(template, number, session)
  local parts, time = template.parts, timeOfBatch()
  local sequence = session.sent
  for _, slot in ipairs(template.marks) do
    if slot.mark == "@" then parts[slot.at] = time
    elseif slot.mark == "#" then parts[slot.at] = number
    else
      sequence = sequence + 1
      parts[slot.at] = sequence
    end
  end
  session.sent = session.sent + batch
  return table.concat(parts)
end

function request()
  local session = nextSession()
  used = used + 1
  serial = serial + 1
  if isSequenced and session.headers["X-Install-Id"] == nil then
    -- Where the two threads share players, each thread is another installation of a player, and every measurement is a new one.
    session.headers["X-Install-Id"] = os.getenv("BENCH_ONCE") and session.player or run .. "-" .. id .. "-" .. serial
  end
  if kind == "purchases" and session.bought and serial % REFUND_EVERY == 0 then
    local bought = session.bought
    session.bought = nil
    return wrk.format("POST", nil, session.headers, fill(refund, bought, session))
  end
  local number = id .. "-" .. serial
  session.bought = number
  return wrk.format("POST", nil, session.headers, fill(templates[serial % #templates + 1], number, session))
end

-- How many sessions each thread has used: players who are drawn again go on counting from there.
function done()
  for n, thread in ipairs(all) do io.write(string.format("used %d %d\n", n - 1, thread:get("used"))) end
end
