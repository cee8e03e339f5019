// The product's controller as a sender under test: SendController with its feedback adapter, queues
// and pacer, fed by a bulk source that keeps two packets waiting, so that the model never counts it
// as application-limited.
#pragma once

#include <memory>

#include "send_controller.h"
#include "sender.h"

namespace farwheel::lab {

// Throws OptionError for an algorithm, a startup or a parameter that the controller does not know.
std::unique_ptr<Sender> make_controller_sender(const FlowConfig& flow, std::uint64_t seed);

// What --algorithm may name, the plugin left out.
std::vector<std::string> controller_algorithms();

}  // namespace farwheel::lab
