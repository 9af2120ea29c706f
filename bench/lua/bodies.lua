-- Posts the lines of a file one after the other; each of the two threads takes every second line, so that none is sent twice.
local bodies, at, threads = {}, 0, 0

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
  wrk.method = "POST"
  wrk.headers["Content-Type"] = "application/json"
end

function request()
  at = at % #bodies + 1
  return wrk.format(nil, nil, nil, bodies[at])
end
