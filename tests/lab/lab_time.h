// Time in the laboratory counts from when links stand and radios are associated.
#pragma once

#include <ns3/simulator.h>

namespace farwheel::lab {

inline constexpr double kLeadInSeconds = 1;

inline double lab_now_s() {
  return ns3::Simulator::Now().GetSeconds() - kLeadInSeconds;
}
inline ns3::Time simulator_time(double lab_s) {
  return ns3::NanoSeconds(static_cast<std::int64_t>((lab_s + kLeadInSeconds) * 1e9));
}

}  // namespace farwheel::lab
