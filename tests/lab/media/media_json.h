// The figures of a run as JSON (docs/lab-media.md), the same for virtual time and real processes.
#pragma once

#include <nlohmann/json.hpp>

#include "media/media_config.h"
#include "media/media_run.h"

namespace farwheel::lab::media {

nlohmann::ordered_json to_json(const MediaConfig& config, const RunResult& result);

}  // namespace farwheel::lab::media
