-- Refreshes one session after the other, then each of them again with the token of its last response. BENCH_TOKENS: one token a
-- line, in a file for each of the two threads.
local tokens, first, last, threads = {}, 1, 0, 0

function setup(thread)
  thread:set("id", threads)
  threads = threads + 1
end

function init()
  for line in io.lines(os.getenv("BENCH_TOKENS") .. id) do
    last = last + 1
    tokens[last] = line
  end
  wrk.method = "POST"
  wrk.headers["Content-Type"] = "application/json"
end

function request()
  local token = tokens[first]
  tokens[first] = nil
  first = first + 1
  return wrk.format(nil, nil, nil, '{"refreshToken":"' .. token .. '"}')
end

function response(status, headers, body)
  last = last + 1
  tokens[last] = body:match('"refreshToken":"([^"]+)"')
end
