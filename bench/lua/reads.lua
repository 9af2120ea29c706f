-- Gets one path as many players, one after the other. Which players: see sessions.lua.
local threads = 0
local nextSession

function setup(thread)
  thread:set("id", threads)
  threads = threads + 1
end

function init()
  nextSession = dofile(os.getenv("BENCH_LUA") .. "/sessions.lua")(id)
end

function request()
  return wrk.format("GET", nil, nextSession().headers)
end
