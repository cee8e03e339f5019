// The property `stats`: names, types and units as docs/stats.md has them.
#pragma once

#include <gst/gst.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rtpbbrcc/feed.h"
#include "rtpbbrcc/owd_window.h"
#include "send_controller.h"
#include "support/gst_ptr.h"

namespace farwheel {

struct StatsSource {
  Timestamp now = Timestamp::infinite_past();
  Algorithm algorithm = Algorithm::kAdaptiveBbr2;
  StartupKind startup = StartupKind::kFbe;
  ControllerSnapshot snapshot;
  std::int64_t reports = 0;
  std::int64_t odd_reports = 0;
  std::optional<DataSize> driver_backlog;
  std::string tx_interface;
  std::optional<OwdWindow::Raw> owd;
  const std::vector<std::unique_ptr<Feed>>* feeds = nullptr;
};

GstStructurePtr make_stats(const StatsSource& source);

}  // namespace farwheel
