#include "feedback/packet_size_watch.h"

namespace farwheel {
namespace {

// Chance makes eight losses in a row of one loss in ten once in 10^8 packets.
constexpr int kLeastLost = 8;
constexpr int kLeastPassed = 2;
// From the first to the last that was lost. In so long a full queue lets one through, however slow
// the link.
constexpr TimeDelta kLeastSpan = TimeDelta::from_millis(100);
// A full queue too has room for small packets where a large one finds none; those that pass it are
// late.
constexpr TimeDelta kMostQueue = TimeDelta::from_millis(50);

}  // namespace

bool PacketSizeWatch::proves(const Run& run) {
  return run.lost >= kLeastLost && run.passed >= kLeastPassed && run.last - run.first >= kLeastSpan;
}

void PacketSizeWatch::take(const PacketResult& result, std::optional<TimeDelta> min_rtt) {
  const DataSize size = result.packet.size;
  const bool lost = result.fate == PacketResult::Fate::kLost;
  const bool late = min_rtt && result.rtt > *min_rtt + kMostQueue;
  suspects_ = false;
  for (std::size_t i = 0; i < kSteps.size(); ++i) {
    Run& run = runs_[i];
    if (size > DataSize::from_bytes(kSteps[i])) {
      if (!lost) {
        run = Run();
        continue;
      }
      if (run.lost++ == 0) run.first = result.packet.sent_at;
      run.last = result.packet.sent_at;
      run.passed += run.passed_since_lost;
      run.passed_since_lost = 0;
    } else if (!lost && !late && run.lost > 0) {
      ++run.passed_since_lost;
    }
    suspects_ = suspects_ || run.lost > 0;
  }
}

bool PacketSizeWatch::on_report(const FeedbackReport& report, std::optional<TimeDelta> min_rtt) {
  for (const PacketResult& result : report.packets) {
    // What no report ever named proves nothing, and what is known to vanish nothing more.
    const bool known = bound_ && result.packet.size > *bound_;
    if (result.fate == PacketResult::Fate::kUnknown || known) continue;
    // Each run begins with a loss.
    if (result.fate == PacketResult::Fate::kLost || suspects_) take(result, min_rtt);
  }
  if (!suspects_) return false;
  for (std::size_t i = 0; i < kSteps.size(); ++i) {
    const DataSize step = DataSize::from_bytes(kSteps[i]);
    if ((bound_ && step >= *bound_) || !proves(runs_[i])) continue;
    bound_ = step;
    runs_.fill(Run());
    suspects_ = false;
    return true;
  }
  return false;
}

}  // namespace farwheel
