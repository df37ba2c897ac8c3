-- Makes the requests and prints one line of figures. The arguments: a file of paths, one a line; the method; the body;
-- a header's name and value. What is constant is formatted once, so that wrk is not what is measured.

-- The key comes by -H: set here too, it would be sent twice.
function init(args)
  wrk.method = args[2]
  if args[3] ~= "" then
    wrk.body = args[3]
    wrk.headers["Content-Type"] = "application/json"
  end
  local requests = {}
  for path in io.lines(args[1]) do
    requests[#requests + 1] = wrk.format(nil, path)
  end
  if #requests > 1 then
    request = function()
      return requests[math.random(#requests)]
    end
  end
end

function done(summary, latency)
  local errors = summary.errors
  local lost = errors.connect + errors.read + errors.write + errors.timeout
  io.write(string.format("FIGURES %d %d %d %d %d %.3f\n", summary.requests, summary.duration, lost, errors.status,
    latency:percentile(99), os.clock()))
end
