-- Gets one path as many players in turn. BENCH_SESSIONS: lines "token tenant game player".
local sessions, at = {}, 0

function init()
  for line in io.lines(os.getenv("BENCH_SESSIONS")) do
    local token, tenant, game, player = line:match("(%S+) (%S+) (%S+) (%S+)")
    sessions[#sessions + 1] = {
      ["Authorization"] = "Bearer " .. token,
      ["X-Tenant-ID"] = tenant,
      ["X-Game-Id"] = game,
      ["X-Player-Id"] = player,
    }
  end
end

function request()
  at = at % #sessions + 1
  return wrk.format("GET", nil, sessions[at])
end
