-- The players whose requests are sent. BENCH_SESSIONS: lines "token tenant game player", and where players are drawn at random the number
-- of events that each has sent before. BENCH_ONCE: no player comes twice, and each of the two threads takes every second one.
local once = os.getenv("BENCH_ONCE") ~= nil

local function read(line)
  local token, tenant, game, player, sent = line:match("(%S+) (%S+) (%S+) (%S+) ?(%S*)")
  return {
    player = player,
    sent = tonumber(sent) or 0,
    headers = {
      ["Content-Type"] = "application/json",
      ["Authorization"] = "Bearer " .. token,
      ["X-Tenant-ID"] = tenant,
      ["X-Game-Id"] = game,
      ["X-Player-Id"] = player,
    },
  }
end

-- Returns a function that returns the next session. `thread`: 0 or 1.
return function(thread)
  local sessions, at, n = {}, 0, 0
  for line in io.lines(os.getenv("BENCH_SESSIONS")) do
    if not once then
      sessions[#sessions + 1] = read(line)
    elseif n % 2 == thread then
      -- As text: a hundred thousand tables would keep the garbage collector busy.
      sessions[#sessions + 1] = line
    end
    n = n + 1
  end
  return function()
    at = at + 1
    if once then
      if at > #sessions then error("there are not enough players: each may come once") end
      return read(sessions[at])
    end
    if at > #sessions then at = 1 end
    return sessions[at]
  end
end
