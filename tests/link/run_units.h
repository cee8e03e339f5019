// From the logs of a run of real processes to what the figures of `farwheel-lab media` are made of:
// which unit was captured when, when its last byte arrived, how long each packet was on the link.
// Times are the link's own, from its beginning. Pure.
#pragma once

#include <map>
#include <string>

#include "media/unit_log.h"
#include "run_logs.h"

namespace farwheel::link {

struct RunUnits {
  lab::media::VehicleLog vehicle;  // cameras first, each kind in order of names
  double loss = 0;                 // share of RTP packets that the link lost
  // Arrivals whose time on the link is known, and those without (left out of `owd_...`).
  std::int64_t arrivals_matched = 0;
  std::int64_t arrivals_unmatched = 0;
  // Parts of units that said they were the last and were not.
  std::int64_t units_split = 0;
};

// Units captured in [first unit sent, duration_s).
RunUnits join_logs(const RunLogs& logs, double duration_s);

// Longest time, in ms, without a unit of a feed coming out at the station, from its first one to
// the end of the run: what a driver would call a gap. A feed of which nothing ever came out has the
// whole run.
std::map<std::string, double> longest_gaps(const RunLogs& logs, double duration_s);

}  // namespace farwheel::link
