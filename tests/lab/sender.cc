#include "sender.h"

#include "controller_sender.h"

namespace farwheel::lab {

std::unique_ptr<Sender> make_sender(const FlowConfig& flow, std::uint64_t seed,
                                    const std::string& plugin) {
  (void)plugin;
  return make_controller_sender(flow, seed);
}

}  // namespace farwheel::lab
