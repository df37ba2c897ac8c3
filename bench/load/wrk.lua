-- Sends the requests of a case and prints its figures. The arguments: the method, the body and the paths.
-- With RANDOM before the method, {id} or {cursor} in the path is random; after it come the number of pets, the skew and a seed.
-- With the method WALK, one client follows the links of a list from the path on; the script prints its last position, too.

function setup(thread)
  worker = thread
end

-- The headers, with the key, come from the option -H.
function init(args)
  if args[1] == "WALK" then return walk(args[3]) end
  if args[1]:find("^RANDOM ") then return any(args[3], tonumber(args[4]), tonumber(args[5]), tonumber(args[6])) end
  wrk.method = args[1]
  if args[2] ~= "" then
    wrk.body = args[2]
    wrk.headers["Content-Type"] = "application/json"
  end
  -- Formatted once, so that wrk is not what is measured.
  local requests = {}
  for i = 3, #args do
    requests[#requests + 1] = wrk.format(nil, args[i])
  end
  if #requests > 1 then
    request = function()
      return requests[math.random(#requests)]
    end
  end
end

function any(path, pets, skew, seed)
  math.randomseed(seed)
  local rank = skew == 0 and function() return math.random(pets) end or zipf(pets, skew)
  local before, after = wrk.format(nil, path):match("^(.-){%a+}(.*)$")
  local isCursor = path:find("{cursor}", 1, true)
  request = function()
    -- A prime larger than the ids: the frequent ones do not lie side by side.
    local id = rank() * 15485863 % pets + 1
    return before .. (isCursor and cursor(id) or string.format("%d", id)) .. after
  end
end

-- Ranks by Zipf's law, by the method of Gray et al., "Quickly generating billion-record synthetic databases" (SIGMOD 1994).
function zipf(count, skew)
  local sum = 0
  for i = 1, count do sum = sum + 1 / i ^ skew end
  local two = 1 + 0.5 ^ skew
  local eta = (1 - (2 / count) ^ (1 - skew)) / (1 - two / sum)
  return function()
    local u = math.random()
    if u * sum < 1 then return 1 end
    if u * sum < two then return 2 end
    return math.min(count, 1 + math.floor(count * (eta * u - eta + 1) ^ (1 / (1 - skew))))
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

function walk(first)
  position = first
  request = function()
    return wrk.format(nil, position)
  end
  response = function(_, headers)
    local link = headers["link"] or headers["Link"]
    position = link and link:match("^<([^>]*)>") or first
  end
end

function done(summary, latency)
  local errors = summary.errors
  local lost = errors.connect + errors.read + errors.write + errors.timeout
  io.write(string.format("FIGURES %d %d %d %d %d %.3f %s\n", summary.requests, summary.duration, lost, errors.status,
    latency:percentile(99), os.clock(), worker:get("position") or ""))
end
