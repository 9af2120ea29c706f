-- A real game: each player logs in, reads status, segments and store, and sends 20 batches of 15 events; then again. At any
-- time players are at different steps. BENCH_SESSIONS: lines "token tenant game player"; BENCH_BODIES: the signed
-- logins of the same players, in the same order.
local STEPS, BATCH = 24, 15
local players, at, serial, threads = {}, 0, 0, 0
local run = os.getenv("BENCH_RUN")
local timestamp = dofile(os.getenv("BENCH_LUA") .. "/clock.lua")

function setup(thread)
  thread:set("id", threads)
  threads = threads + 1
end

function init()
  local logins = io.lines(os.getenv("BENCH_BODIES"))
  local n = 0
  for line in io.lines(os.getenv("BENCH_SESSIONS")) do
    local token, tenant, game, player = line:match("(%S+) (%S+) (%S+) (%S+)")
    local login = logins()
    if n % 2 == id then
      players[#players + 1] = {
        step = #players % STEPS,
        login = login,
        headers = {
          ["Content-Type"] = "application/json",
          ["Authorization"] = "Bearer " .. token,
          ["X-Tenant-ID"] = tenant,
          ["X-Game-Id"] = game,
          ["X-Player-Id"] = player,
        },
      }
    end
    n = n + 1
  end
end

local json = { ["Content-Type"] = "application/json" }
local paths = { "/v1/player/status", "/v1/player/segments", "/v1/player/store_configs" }
local types = { "Level_Start", "Level_Complete", "Ad_Impression", "Level_Start", "Store_View" }
local template = '{"eventType":"%s","timestamp":"%s","payload":{"sessionId":"session-%s","level":%d,"adId":"ad-%d-%d"%s},' ..
  '"metadata":{"deviceType":"phone","osName":"Android","osVersion":"16"}}'

-- One session in 50 ends with a purchase.
local function typeOf(step, n)
  if step == 4 and n == 1 then return "Session_Start", "" end
  if step == 23 and n == BATCH then return "Session_End", ',"durationMs":600000' end
  if step == 23 and n == 1 and at % 50 == 0 then
    return "Purchase", string.format(',"transactionId":"mixed-%s-%d-%d","price":4.99,"currency":"USD"', run, id, serial)
  end
  return types[n % #types + 1], ""
end

local function batchOf(step)
  local now = timestamp()
  local events = {}
  for n = 1, BATCH do
    serial = serial + 1
    local eventType, more = typeOf(step, n)
    events[n] = string.format(template, eventType, now, run, n, id, serial, more)
  end
  return "[" .. table.concat(events, ",") .. "]"
end

function request()
  at = at % #players + 1
  local player = players[at]
  local step = player.step
  player.step = (step + 1) % STEPS
  if step == 0 then return wrk.format("POST", "/auth/login", json, player.login) end
  if step <= 3 then return wrk.format("GET", paths[step], player.headers) end
  return wrk.format("POST", "/v1/events", player.headers, batchOf(step))
end
