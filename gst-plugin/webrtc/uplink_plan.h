// When a vehicle leaves an uplink before it falls silent: what the kernel and the application say
// of uplinks is taken at the moment at which it changes, and never undone by what stands. So a
// choice that silence made is not flipped back by a preference from before. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace farwheel {

class UplinkPlan {
 public:
  // With a route to the station that is up.
  struct Uplink {
    std::string interface;
    std::uint32_t metric = 0;  // of its route: the less the better, as the kernel has it
  };

  // What is usable now. `current`: index into it; empty: what was in use is none of them any more.
  // The one to change to; empty: stay.
  std::optional<std::size_t> next(const std::vector<Uplink>& uplinks,
                                  std::optional<std::size_t> current) {
    const std::map<std::string, std::uint32_t> before = std::exchange(known_, by_name(uplinks));
    const std::string wanted = std::exchange(newly_wanted_, {});
    if (uplinks.empty()) return std::nullopt;
    std::size_t best = 0;
    for (std::size_t i = 0; i < uplinks.size(); ++i) {
      if (!wanted.empty() && uplinks[i].interface == wanted) {
        return current == i ? std::nullopt : std::optional(i);
      }
      if (uplinks[i].metric < uplinks[best].metric) best = i;
    }
    if (!current) return best;
    if (uplinks[best].metric >= uplinks[*current].metric) return std::nullopt;
    const bool news = changed(before, uplinks[*current]) || changed(before, uplinks[best]);
    return news ? std::optional(best) : std::nullopt;
  }

  // The application wants this interface from now on; empty: no wish any more. Counts once, in the
  // next next().
  void want(std::string interface) { newly_wanted_ = std::move(interface); }

 private:
  static std::map<std::string, std::uint32_t> by_name(const std::vector<Uplink>& uplinks) {
    std::map<std::string, std::uint32_t> found;
    for (const Uplink& uplink : uplinks) found[uplink.interface] = uplink.metric;
    return found;
  }
  // One that was not there before is no news: it has not proved itself, and the current one works.
  static bool changed(const std::map<std::string, std::uint32_t>& before, const Uplink& uplink) {
    const auto known = before.find(uplink.interface);
    return known != before.end() && known->second != uplink.metric;
  }

  std::map<std::string, std::uint32_t> known_;
  std::string newly_wanted_;
};

}  // namespace farwheel
