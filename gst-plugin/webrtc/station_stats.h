// farwheelsrc's `stats` (docs/stats.md) out of what the link and the outlets know. A field that is
// not known is absent.
#pragma once

#include <gst/gst.h>

#include <string>
#include <vector>

#include "webrtc/feed_outlet.h"
#include "webrtc/station_link.h"

namespace farwheel {

struct OutletReport {
  std::string name;
  FeedKind kind = FeedKind::kCamera;
  FeedOutletCounts counts;
};
// Transfer full.
GstStructure* station_stats(const StationLinkSnapshot& link,
                            const std::vector<OutletReport>& outlets);

}  // namespace farwheel
