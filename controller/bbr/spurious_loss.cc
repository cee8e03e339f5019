#include "bbr/spurious_loss.h"

#include <utility>

namespace farwheel {
namespace {
// What has not arrived by then is lost.
constexpr std::int64_t kEpisodeRounds = 3;
}  // namespace

std::optional<SpuriousLoss::Saved> SpuriousLoss::on_report(const RateSample& sample,
                                                           std::int64_t round, BbrState state,
                                                           const InflightBounds& bounds) {
  if (saved_ && round - first_round_ > kEpisodeRounds) saved_.reset();
  if (!saved_) {
    if (sample.newly_lost.is_zero()) return std::nullopt;
    saved_ = Saved{state, bounds};
    first_round_ = round;
    still_lost_ = DataSize::zero();
  }
  still_lost_ += sample.newly_lost;
  still_lost_ -= sample.newly_rescued;
  if (sample.newly_rescued.is_zero() || still_lost_ > DataSize::zero()) return std::nullopt;
  return std::exchange(saved_, std::nullopt);
}

}  // namespace farwheel
