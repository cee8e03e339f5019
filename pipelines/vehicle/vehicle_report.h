// What the vehicle knows of its run, as JSON: for the demo, for scripts and for tests.
#pragma once

#include <gst/gst.h>

#include <nlohmann/json.hpp>

namespace farwheel {

// A structure of `stats` (docs/stats.md), field by field, with '_' for '-' in the names. Times that
// are not known are absent there and so here.
nlohmann::json to_json(const GstStructure* structure);

// When this process was started, on the wall clock, ns since 1970. Known in steps of 10 ms, of which
// this is the lower end.
std::int64_t process_start_unix_ns();

}  // namespace farwheel
