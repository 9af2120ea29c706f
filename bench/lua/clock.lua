-- The time of the events that are sent, to the millisecond: a player's events follow one another, as they do in a game.
local ffi = require("ffi")
ffi.cdef("typedef struct { long seconds; long micros; } bench_time; int gettimeofday(bench_time *time, void *zone);")
local time = ffi.new("bench_time")
local second, text = 0, ""

return function()
  ffi.C.gettimeofday(time, nil)
  local now = tonumber(time.seconds)
  if now ~= second then
    second = now
    text = os.date("!%Y-%m-%dT%H:%M:%S", now)
  end
  return string.format("%s.%03dZ", text, tonumber(time.micros) / 1000)
end
