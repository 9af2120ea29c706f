-- Posts batches of new events, each of another player. BENCH_SESSIONS: lines "token tenant"; BENCH_BATCH: events a request.
local sessions, at, serial, threads = {}, 0, 0, 0
local batch = tonumber(os.getenv("BENCH_BATCH"))
local run = os.getenv("BENCH_RUN")
local timestamp = dofile(os.getenv("BENCH_LUA") .. "/clock.lua")

function setup(thread)
  thread:set("id", threads)
  threads = threads + 1
end

function init()
  for line in io.lines(os.getenv("BENCH_SESSIONS")) do
    local token, tenant = line:match("(%S+) (%S+)")
    sessions[#sessions + 1] = {
      ["Content-Type"] = "application/json",
      ["Authorization"] = "Bearer " .. token,
      ["X-Tenant-ID"] = tenant,
    }
  end
end

local template = '{"eventType":"Ad_Impression","timestamp":"%s","payload":{"userId":"user-1","sessionId":"session-%s",' ..
  '"adId":"ad-%d-%d","campaignId":"campaign-1"},"metadata":{"deviceType":"phone","osName":"Android","osVersion":"16"}}'

function request()
  at = at % #sessions + 1
  local now = timestamp()
  local events = {}
  for n = 1, batch do
    serial = serial + 1
    events[n] = string.format(template, now, run, id, serial)
  end
  return wrk.format("POST", nil, sessions[at], "[" .. table.concat(events, ",") .. "]")
end
