// When a vehicle with several uplinks changes to another: after 300 ms without a sign of the
// station, and not back before the new one had its time, which doubles while none answers. A sign
// settles it: what works is never left for what is only preferred. Pure.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace farwheel {

class UplinkChoice {
 public:
  // In ns, as all times here.
  static constexpr std::uint64_t kSilence = 300'000'000;
  // With an uplink that was changed to, until it answers.
  static constexpr std::uint64_t kMostPatience = 1'200'000'000;

  // Whether next() would change, if there is more than one: for a caller whose list costs
  // something.
  bool is_due(std::uint64_t now, std::uint64_t last_sign) const {
    const std::uint64_t patience = last_sign > changed_at_ ? kSilence : patience_;
    return now >= std::max(last_sign, changed_at_) + patience;
  }
  // The uplink to change to, of `count`, from `current`; empty: stay. The caller changes to it.
  std::optional<std::size_t> next(std::uint64_t now, std::uint64_t last_sign, std::size_t current,
                                  std::size_t count) {
    if (count < 2 || !is_due(now, last_sign)) return std::nullopt;
    if (last_sign > changed_at_) patience_ = kSilence;
    changed(now);
    return (current + 1) % count;
  }
  // It was changed, for whatever reason.
  void changed(std::uint64_t now) {
    patience_ = std::min(2 * patience_, kMostPatience);
    changed_at_ = now;
  }
  std::uint64_t changed_at() const { return changed_at_; }

 private:
  std::uint64_t changed_at_ = 0;
  std::uint64_t patience_ = kSilence;
};

}  // namespace farwheel
