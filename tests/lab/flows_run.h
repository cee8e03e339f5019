// One run of `farwheel-lab flows`: builds the network, lets the simulator run, and makes the
// figures.
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "lab_config.h"
#include "sender.h"

namespace farwheel::lab {

using SenderFactory = std::function<std::unique_ptr<Sender>(const FlowConfig&, std::uint64_t seed)>;

// The JSON of measures.md. `senders`: empty for those that the flows name. Throws OptionError for a
// sender that cannot be made. ns-3's state is global: one run at a time in a process, any number
// after each other.
nlohmann::ordered_json run_flows(const RunConfig& run, const SenderFactory& senders = {});

double jain(const std::vector<double>& shares);

}  // namespace farwheel::lab
