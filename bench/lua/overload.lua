-- What events.lua posts, whether it is accepted or not, at BENCH_RATE requests a second over all BENCH_CONNECTIONS: each waits
-- for a random time before its next request. Without BENCH_RATE nobody waits, also not those who are refused.
dofile(os.getenv("BENCH_LUA") .. "/events.lua")
local rate, connections = tonumber(os.getenv("BENCH_RATE")), tonumber(os.getenv("BENCH_CONNECTIONS"))

if rate ~= nil then
  local longest = math.floor(2000 * connections / rate)
  function delay() return math.random(0, longest) end
end

-- wrk does not tell the latencies of accepted requests from those of others. But of all requests no more than a hundredth of
-- the accepted ones took longer than this; so no more of the accepted ones did.
function done(summary, latency)
  local refused = summary.errors.status
  local accepted = summary.requests - refused
  local share = accepted / summary.requests
  io.write(string.format("accepted %d\nrefused %d\nseconds %f\n", accepted, refused, summary.duration / 1e6))
  io.write(string.format("p50 %f\n", latency:percentile(100 - 50 * share) / 1000))
  io.write(string.format("p99 %f\n", latency:percentile(100 - share) / 1000))
end
