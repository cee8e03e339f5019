#include "rtpbbrcc/owd_window.h"

#include <algorithm>

namespace farwheel {

void OwdWindow::add(Timestamp reported_at, std::int64_t remote_ns, std::int64_t local_ns) {
  // Wrapping subtraction: hostile times must not be undefined behaviour.
  const auto raw = static_cast<std::int64_t>(static_cast<std::uint64_t>(remote_ns) -
                                             static_cast<std::uint64_t>(local_ns));
  samples_.push_back({reported_at, raw});
  while (samples_.size() > kMost || reported_at - samples_.front().reported_at > kSpan) {
    samples_.pop_front();
  }
}

std::optional<OwdWindow::Raw> OwdWindow::read(Timestamp now) const {
  std::vector<std::int64_t> raws;
  raws.reserve(samples_.size());
  for (const Sample& sample : samples_) {
    if (now - sample.reported_at <= kSpan) raws.push_back(sample.raw_ns);
  }
  if (raws.empty()) return std::nullopt;
  const auto middle = raws.begin() + static_cast<std::ptrdiff_t>(raws.size() / 2);
  std::nth_element(raws.begin(), middle, raws.end());
  return Raw{*std::min_element(raws.begin(), raws.end()), *middle};
}

}  // namespace farwheel
