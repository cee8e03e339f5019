#include "webrtc/receive_counters.h"

namespace farwheel {
namespace {
constexpr std::int64_t kSlice = 100'000'000;
constexpr std::int64_t kSlicesInWindow = 10;
constexpr std::size_t kMaxStreams = 16;
// A jump beyond this is a restarted stream, not loss (RFC 3550's MAX_DROPOUT).
constexpr std::int64_t kMaxJump = 3000;
}  // namespace

ReceiveCounters::Slice& ReceiveCounters::slice_of(std::int64_t now_ns) {
  const std::int64_t index = now_ns / kSlice;
  Slice& slice = slices_[static_cast<std::size_t>(index) % slices_.size()];
  if (slice.index != index) slice = Slice{index};
  return slice;
}

void ReceiveCounters::on_packet(const ReceivedPacket& packet) {
  Slice& slice = slice_of(packet.now_ns);
  ++packets_;
  bytes_ += packet.wire_bytes;
  slice.bytes += packet.wire_bytes;
  auto found = streams_.find(packet.ssrc);
  if (found == streams_.end()) {
    if (streams_.size() >= kMaxStreams) return;
    // One wrap ahead, so that packets before the first don't fall below zero.
    const std::uint64_t start = 0x10000u + packet.sequence;
    streams_[packet.ssrc] = Stream{start, start, 1};
    ++slice.received;
    ++slice.expected;
    return;
  }
  Stream& stream = found->second;
  const auto step = static_cast<std::int16_t>(
      static_cast<std::uint16_t>(packet.sequence - static_cast<std::uint16_t>(stream.highest)));
  if (step > kMaxJump || step < -kMaxJump) {
    // What was lost before stays counted: both ends move alike, and this packet is expected too.
    const std::uint64_t moved =
        0x10000u + packet.sequence - static_cast<std::uint16_t>(stream.highest);
    stream.highest += moved;
    stream.first += moved - 1;
    ++stream.received;
    ++slice.received;
    ++slice.expected;
    return;
  }
  if (step > 0) {
    stream.highest += static_cast<std::uint64_t>(step);
    slice.expected += static_cast<std::uint64_t>(step);
  }
  ++stream.received;
  ++slice.received;
}

std::uint64_t ReceiveCounters::lost() const {
  std::uint64_t total = 0;
  for (const auto& [ssrc, stream] : streams_) {
    const std::uint64_t expected = stream.highest - stream.first + 1;
    if (expected > stream.received) total += expected - stream.received;
  }
  return total;
}

std::uint64_t ReceiveCounters::throughput_bps(std::int64_t now_ns) const {
  std::uint64_t bytes = 0;
  const std::int64_t current = now_ns / kSlice;
  for (const Slice& slice : slices_) {
    if (slice.index < current && slice.index >= current - kSlicesInWindow) bytes += slice.bytes;
  }
  return bytes * 8;
}

std::optional<double> ReceiveCounters::loss(std::int64_t now_ns) const {
  std::uint64_t received = 0;
  std::uint64_t expected = 0;
  const std::int64_t current = now_ns / kSlice;
  for (const Slice& slice : slices_) {
    if (slice.index < 0 || slice.index < current - kSlicesInWindow) continue;
    received += slice.received;
    expected += slice.expected;
  }
  if (expected == 0) return std::nullopt;
  if (received >= expected) return 0.0;
  return static_cast<double>(expected - received) / static_cast<double>(expected);
}

}  // namespace farwheel
