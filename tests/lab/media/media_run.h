// One run of `farwheel-lab media`: vehicles on a link, and what other traffic shares it.
#pragma once

#include <optional>

#include "media/figures.h"
#include "media/media_config.h"

namespace farwheel::lab::media {

struct RunResult {
  RunFigures figures;
  Oracle oracle;
  double loss = 0;  // share of the vehicles' packets
  std::optional<double> peer_mbps;
};

RunResult run_media(const MediaConfig& config);

}  // namespace farwheel::lab::media
