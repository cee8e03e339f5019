// One run of `farwheel-lab flows`: builds the network, lets the simulator run, and makes the
// figures.
#pragma once

#include <nlohmann/json.hpp>

#include "lab_config.h"

namespace farwheel::lab {

// The JSON of measures.md. Throws OptionError for a sender that cannot be made. ns-3's state is
// global: one run at a time in a process, any number after each other.
nlohmann::ordered_json run_flows(const RunConfig& run);

double jain(const std::vector<double>& shares);

}  // namespace farwheel::lab
