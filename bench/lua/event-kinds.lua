-- The events of one batch as text, with marks: @ is the time, # the number of the request, and $ the event's number in its
-- sequence. `run` makes the events of one measurement differ from those of all others; `n` counts the events of the batch.
local METADATA = '"metadata":{"deviceType":"phone","osName":"Android","osVersion":"16"}'

local function event(eventType, payload, more)
  return '{"eventType":"' .. eventType .. '","timestamp":"@",' .. (more or "") .. '"payload":{' .. payload .. '},' .. METADATA .. '}'
end

local function impression(run, n, more)
  local payload = '"userId":"user-1","sessionId":"session-%s","adId":"ad-#-%d","campaignId":"campaign-1"'
  return event("Ad_Impression", string.format(payload, run, n), more)
end

-- `count` times the same text with its number in it, as an array.
local function list(count, text)
  local parts = {}
  for n = 1, count do parts[n] = (text:gsub("%%n", tostring(n))) end
  return "[" .. table.concat(parts, ",") .. "]"
end

-- The payloads of twenty types of a game, from 40 bytes to 1.2 kB.
local TYPES = {
  { "Session_Start", '"sessionId":"s-#","entry":"push","battery":0.71,"network":"wifi"' },
  { "Session_End", '"sessionId":"s-#","durationMs":912345' },
  { "Level_Start", '"level":27,"attempt":3,"boosters":["bomb","swap"],"difficulty":"hard"' },
  { "Level_Complete", '"level":27,"attempt":3,"score":184250,"stars":2,"movesLeft":4,"durationMs":93412,"boostersUsed":1' },
  { "Level_Failed", '"level":28,"attempt":1,"score":71200,"movesLeft":0,"durationMs":61200,"reason":"out_of_moves"' },
  { "Ad_Impression", '"userId":"user-1","sessionId":"s-#","adId":"ad-17","campaignId":"campaign-1"' },
  { "Ad_Click", '"adId":"ad-17","campaignId":"campaign-1","placement":"level_end","watchedMs":14870' },
  { "Store_View", '"screen":"main","skus":' .. list(12, '"sku_%n"') .. ',"currency":"EUR"' },
  { "Currency_Earned", '"currency":"coins","amount":250,"balance":10422,"source":"level_complete"' },
  { "Currency_Spent", '"currency":"coins","amount":900,"balance":9522,"sink":"booster","item":"bomb"' },
  { "Item_Equipped", '"itemId":"hat_0042","slot":"head","rarity":"epic"' },
  { "Quest_Started", '"questId":"daily_3","kind":"daily","goal":{"type":"collect","item":"gem","amount":30}' },
  { "Quest_Completed", '"questId":"daily_3","durationMs":1822000,"rewards":' .. list(3, '{"item":"gem","amount":%n0}') },
  { "Tutorial_Step", '"step":7,"name":"first_swap","skipped":false' },
  { "Match_Start", '"matchId":"m-#","mode":"duel","map":"canyon","players":' .. list(8, '{"id":"p-%n","rank":1%n0,"team":"red"}') },
  { "Match_End", '"matchId":"m-#","mode":"duel","result":"win","durationMs":212000,"players":' ..
      list(8, '{"id":"p-%n","kills":%n,"deaths":%n,"assists":%n,"damage":1%n42,"healed":3%n7,"score":9%n1}') },
  { "Friend_Invited", '"channel":"link","friends":3' },
  { "Settings_Changed", '"setting":"sound","from":"on","to":"off"' },
  { "Inventory_Snapshot", '"items":' .. list(40, '{"id":"item_%n","n":%n,"level":%n}') },
  { "Performance_Sample", '"scene":"level_27","fps":' .. list(60, '5%n.2') .. ',"memoryMb":412,"device":"SM-A536B"' },
}

local kinds = {}

function kinds.plain(run, n) return impression(run, n) end

-- Clients name events with a UUID.
function kinds.named(run, n)
  return impression(run, n, string.format('"eventId":"%s-%04d-#",', run, n))
end

function kinds.sequenced(run, n) return impression(run, n, '"seq":$,') end

function kinds.types(run, n)
  local eventType, payload = unpack(TYPES[(n - 1) % #TYPES + 1])
  return event(eventType, string.format('"run":"%s","n":"#-%d",', run, n) .. payload)
end

-- One purchase per request.
function kinds.purchases(run, n)
  local payload = '"transactionId":"%s-#","skuId":"sku_%d","price":%d.99,"currency":"USD"'
  return event("Purchase", string.format(payload, run, n % 20, n % 20))
end

-- The refund of the purchase that the request with this number made.
function kinds.refund(run) return event("Refund", string.format('"transactionId":"%s-#"', run)) end

-- A saved game or a replay, from 10 to 30 kB.
function kinds.large(run, n)
  local entries = 250 + (n * 53) % 500
  return event("Saved_Game", string.format('"run":"%s","n":"#-%d","slots":', run, n) ..
    list(entries, '{"id":"item_%n","level":%n,"at":1%n5}'))
end

return kinds
