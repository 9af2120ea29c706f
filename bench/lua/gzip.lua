-- Posts compressed bodies one after the other, each of another player; each of the two threads takes every second body, so
-- that none is sent twice. BENCH_SESSIONS: lines "token tenant"; BENCH_BODIES: a line with the length, then the body.
local sessions, bodies, at, threads = {}, {}, 0, 0

function setup(thread)
  thread:set("id", threads)
  threads = threads + 1
end

function init()
  for line in io.lines(os.getenv("BENCH_SESSIONS")) do
    local token, tenant = line:match("(%S+) (%S+)")
    sessions[#sessions + 1] = {
      ["Content-Type"] = "application/json",
      ["Content-Encoding"] = "gzip",
      ["Authorization"] = "Bearer " .. token,
      ["X-Tenant-ID"] = tenant,
    }
  end
  local file = io.open(os.getenv("BENCH_BODIES"), "rb")
  local length, n = file:read("*l"), 0
  while length do
    local body = file:read(tonumber(length))
    if n % 2 == id then bodies[#bodies + 1] = body end
    length, n = file:read("*l"), n + 1
  end
  file:close()
end

function request()
  at = at + 1
  if at > #bodies then error("there are not enough bodies: each must be new") end
  return wrk.format("POST", nil, sessions[(at * 2 + id) % #sessions + 1], bodies[at])
end
