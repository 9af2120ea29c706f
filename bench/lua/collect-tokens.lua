-- Logs in with the lines of a file and keeps the refresh tokens of the responses. BENCH_BODIES: signed logins; BENCH_TOKENS: one
-- token a line is written to this file and the number of the thread.
local bodies, at, threads, tokens = {}, 0, 0, nil

function setup(thread)
  thread:set("id", threads)
  threads = threads + 1
end

function init()
  local n = 0
  for line in io.lines(os.getenv("BENCH_BODIES")) do
    if n % 2 == id then bodies[#bodies + 1] = line end
    n = n + 1
  end
  -- The file is never closed.
  tokens = io.open(os.getenv("BENCH_TOKENS") .. id, "w")
  tokens:setvbuf("line")
  wrk.method = "POST"
  wrk.headers["Content-Type"] = "application/json"
end

function request()
  at = at % #bodies + 1
  return wrk.format(nil, nil, nil, bodies[at])
end

function response(status, headers, body)
  tokens:write(body:match('"refreshToken":"([^"]+)"'), "\n")
end
