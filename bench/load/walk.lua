-- One client that follows the links of a list. The argument: the path to begin at. It prints where it has got to, too.

local path, first

function setup(thread)
  walker = thread
end

function init(args)
  first = args[1]
  path = first
end

function request()
  return wrk.format(nil, path)
end

function response(_, headers)
  local link = headers["link"] or headers["Link"]
  path = link and link:match("^<([^>]*)>") or first
  position = path
end

function done(summary, latency)
  local errors = summary.errors
  local lost = errors.connect + errors.read + errors.write + errors.timeout
  io.write(string.format("FIGURES %d %d %d %d %d %.3f\n", summary.requests, summary.duration, lost, errors.status,
    latency:percentile(99), os.clock()))
  io.write("POSITION ", walker:get("position"), "\n")
end
