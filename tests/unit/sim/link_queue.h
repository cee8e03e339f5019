// What waits at a bottleneck: one queue for all, or one for each flow, served in turn and cut where
// it is longest.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <vector>

#include "feedback/packet_result.h"

namespace farwheel::sim {

struct LinkPacket {
  std::size_t flow;
  SentPacket packet;
  bool ends_unit;
};

class LinkQueue {
 public:
  explicit LinkQueue(bool fair) : fair_(fair), queues_(1) {}

  bool empty() const { return packets_ == 0; }
  void push(const LinkPacket& packet) {
    const std::size_t index = fair_ ? packet.flow : 0;
    if (index >= queues_.size()) queues_.resize(index + 1);
    queues_[index].push_back(packet);
    ++packets_;
  }
  // The caller sees to it that something waits.
  LinkPacket pop() {
    turn();
    const LinkPacket packet = queues_[current_].front();
    queues_[current_].pop_front();
    --packets_;
    current_ = (current_ + 1) % queues_.size();
    return packet;
  }
  DataSize front_size() {
    turn();
    return queues_[current_].front().packet.size;
  }
  // The newest of one queue, the oldest of the longest of several (as fq_codel does).
  LinkPacket drop() {
    const auto longest =
        std::max_element(queues_.begin(), queues_.end(),
                         [](const auto& a, const auto& b) { return a.size() < b.size(); });
    const LinkPacket packet = fair_ ? longest->front() : longest->back();
    if (fair_) {
      longest->pop_front();
    } else {
      longest->pop_back();
    }
    --packets_;
    return packet;
  }

 private:
  void turn() {
    while (queues_[current_].empty()) current_ = (current_ + 1) % queues_.size();
  }

  bool fair_;
  std::vector<std::deque<LinkPacket>> queues_;
  std::size_t current_ = 0;
  std::size_t packets_ = 0;
};

}  // namespace farwheel::sim
