// A first-in first-out queue in one growing ring of memory: no allocation once it has grown to what
// a feed needs, unlike std::deque. Not thread-safe.
#pragma once

#include <cstddef>
#include <vector>

namespace farwheel {

template <typename T>
class RingQueue {
 public:
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }

  void push_back(const T& value) {
    if (size_ == slots_.size()) grow();
    slots_[index(size_)] = value;
    ++size_;
  }
  void pop_front() {
    first_ = index(1);
    --size_;
  }
  // The queue must not be empty.
  T& front() { return slots_[first_]; }
  const T& front() const { return slots_[first_]; }
  T& back() { return slots_[index(size_ - 1)]; }
  const T& back() const { return slots_[index(size_ - 1)]; }
  const T& operator[](std::size_t position) const { return slots_[index(position)]; }

 private:
  static constexpr std::size_t kFirst = 64;

  std::size_t index(std::size_t position) const {
    return (first_ + position) & (slots_.size() - 1);
  }
  void grow() {
    std::vector<T> larger(slots_.empty() ? kFirst : slots_.size() * 2);
    for (std::size_t i = 0; i < size_; ++i) larger[i] = slots_[index(i)];
    slots_.swap(larger);
    first_ = 0;
  }

  std::vector<T> slots_;  // size is a power of two
  std::size_t first_ = 0;
  std::size_t size_ = 0;
};

}  // namespace farwheel
