// A sender from a shared object (controller_plugin.h). The object is the user's own code: it is
// loaded into this process and trusted as such, but what it returns is held inside bounds.
#pragma once

#include <memory>
#include <string>

#include "sender.h"

namespace farwheel::lab {

// Throws OptionError if the file cannot be loaded, has no such entry, speaks another version, lacks
// a function, or refuses the flow's parameters.
std::unique_ptr<Sender> make_plugin_sender(const FlowConfig& flow, std::uint64_t seed,
                                           const std::string& file);

}  // namespace farwheel::lab
