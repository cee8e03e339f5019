#include "backend/unit_ledger.h"

#include <algorithm>

namespace farwheel::station {

void UnitLedger::enter(const Entry& entry) {
  std::lock_guard lock(mutex_);
  entries_.push_back(entry);
  if (entries_.size() > kCapacity) entries_.pop_front();
}

std::optional<UnitLedger::Entry> UnitLedger::find(std::uint64_t pts) const {
  std::lock_guard lock(mutex_);
  const auto found = std::find_if(entries_.rbegin(), entries_.rend(),
                                  [pts](const Entry& entry) { return entry.pts == pts; });
  if (found == entries_.rend()) return std::nullopt;
  return *found;
}

}  // namespace farwheel::station
