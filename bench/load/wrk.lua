-- Sends the requests of a case and prints its figures as JSON in the last line. The arguments: the path, the body, the number of pets
-- if {id} or {cursor} in the path is random and else 0, "true" if some pets are more frequent, and a seed.

-- The headers, with the key, come from the option -H.
function init(args)
  if tonumber(args[3]) > 0 then any(args[1], tonumber(args[3]), args[4] == "true", tonumber(args[5])) end
  if args[2] ~= "" then
    wrk.method = "POST"
    wrk.body = args[2]
    wrk.headers["Content-Type"] = "application/json"
  end
end

function any(path, pets, isSkewed, seed)
  math.randomseed(seed)
  local before, after = wrk.format(nil, path):match("^(.-){%a+}(.*)$")
  local isCursor = path:find("{cursor}", 1, true)
  request = function()
    -- Nearly Zipf's law with the exponent 1: the logarithms of the ranks are spread evenly.
    local rank = isSkewed and math.floor(pets ^ math.random()) or math.random(pets)
    -- A prime larger than the ids: the frequent ones do not lie side by side.
    local id = rank * 15485863 % pets + 1
    return before .. (isCursor and cursor(id) or string.format("%d", id)) .. after
  end
end

-- Base64 of "after:" and an id of six digits, so that three of them are always four characters.
local letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
function cursor(id)
  local digits, text = string.format("%d", 100000 + id % 899900), "YWZ0ZXI6"
  for i = 1, 4, 3 do
    local a, b, c = digits:byte(i, i + 2)
    local bits = a * 65536 + b * 256 + c
    for shift = 3, 0, -1 do
      local at = math.floor(bits / 64 ^ shift) % 64 + 1
      text = text .. letters:sub(at, at)
    end
  end
  return text
end

function done(summary, latency)
  local errors = summary.errors
  local lost = errors.connect + errors.read + errors.write + errors.timeout
  io.write(string.format('{"requests":%d,"microseconds":%d,"lost":%d,"refused":%d,"p99":%d}', summary.requests,
    summary.duration, lost, errors.status, latency:percentile(99)))
end
