#include "sender.h"

#include "controller_sender.h"
#include "plugin_sender.h"

namespace farwheel::lab {

std::unique_ptr<Sender> make_sender(const FlowConfig& flow, std::uint64_t seed,
                                    const std::string& plugin) {
  if (flow.algorithm == "plugin") return make_plugin_sender(flow, seed, plugin);
  return make_controller_sender(flow, seed);
}

}  // namespace farwheel::lab
