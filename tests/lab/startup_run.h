// `farwheel-lab startup`: the same transfer by four senders, each alone on the same link (or beside
// the same cross traffic): ns-3's TcpCubic and TcpBbr, BBRv2 with its classic start, and FBE.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "lab_config.h"

namespace farwheel::lab {

// The source's own interface is as slow as the link, and halves its rate at this time.
struct DriverQueueTest {
  double halve_at_s = 0.22;
};

struct StartupConfig {
  // link and seed hold for every sender; flows[0] is the pattern of ours: round trip, 802.11n,
  // algorithm and parameters of the FBE sender.
  RunConfig run;
  std::int64_t bytes = 524288;
  std::optional<DriverQueueTest> driver_queue;
  std::vector<std::string> senders{"cubic", "tcpbbr", "bbr2-classic", "fbe"};
};

// The JSON of measures.md. Throws OptionError for a sender that cannot be made.
nlohmann::ordered_json run_startup(const StartupConfig& config);

}  // namespace farwheel::lab
