#include "lab_config.h"

#include <algorithm>

namespace farwheel::lab {

double GrantModel::own_delay_ms() const {
  double late = 0;
  for (double behind = 0; behind < harq_ms; behind += slot_ms) {
    late += harq_share * (harq_ms - behind);
  }
  return slot_ms / 2 + late;
}

double LinkConfig::capacity_mbps() const {
  return policer ? std::min(rate_mbps, policer->mbps) : rate_mbps;
}

double path_owd_ms(const LinkConfig& link, const FlowConfig& flow) {
  if (link.lte_phones > 0) return flow.rtt_ms / 2;  // the radio's own comes on top
  return flow.rtt_ms / 2 + static_cast<double>(kWireBytes) * 8 / 1e3 / link.rate_mbps + 0.12;
}

std::int64_t buffer_bytes(const RunConfig& run) {
  double rtt_ms = 0;
  for (const FlowConfig& flow : run.flows) rtt_ms = std::max(rtt_ms, flow.rtt_ms);
  if (run.flows.empty()) {
    for (const PeerConfig& peer : run.peers) rtt_ms = std::max(rtt_ms, peer.rtt_ms.value_or(0));
  }
  const double bytes = run.link.buffer_bdp * run.link.rate_mbps * 1e6 * rtt_ms / 1e3 / 8;
  return std::max(static_cast<std::int64_t>(bytes), kWireBytes);
}

const char* to_string(PeerKind kind) {
  switch (kind) {
    case PeerKind::kCubic:
      return "cubic";
    case PeerKind::kBbr:
      return "bbr";
    case PeerKind::kReno:
      return "reno";
  }
  return "unknown";
}

}  // namespace farwheel::lab
