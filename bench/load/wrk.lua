-- Sends the requests of a case and prints its figures. The arguments: the method, the body and the paths.
-- With the method WALK, one client follows the links of a list from the path on; the script prints its last position, too.

function setup(thread)
  worker = thread
end

-- The headers, with the key, come from the option -H.
function init(args)
  if args[1] == "WALK" then return walk(args[3]) end
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
