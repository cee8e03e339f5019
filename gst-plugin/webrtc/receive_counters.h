// What arrived, by RTP sequence numbers (RFC 3550 appendix A.3): totals, and rate and loss over the
// last second. Pure; one thread at a time. Unknown SSRCs beyond 16 count as bytes only.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>

namespace farwheel {

struct ReceivedPacket {
  std::int64_t now_ns = 0;
  std::uint32_t ssrc = 0;
  std::uint16_t sequence = 0;
  std::uint32_t wire_bytes = 0;
};

class ReceiveCounters {
 public:
  void on_packet(const ReceivedPacket& packet);

  std::uint64_t packets() const { return packets_; }
  std::uint64_t bytes() const { return bytes_; }
  // Expected minus received over all streams; late arrivals take back what was counted lost.
  std::uint64_t lost() const;
  // Of the last second; loss is empty if nothing was expected in it.
  std::uint64_t throughput_bps(std::int64_t now_ns) const;
  std::optional<double> loss(std::int64_t now_ns) const;

 private:
  struct Stream {
    std::uint64_t first = 0;
    std::uint64_t highest = 0;  // extended
    std::uint64_t received = 0;
  };
  // Tenths of a second, in a ring.
  struct Slice {
    std::int64_t index = -1;
    std::uint64_t bytes = 0;
    std::uint64_t received = 0;
    std::uint64_t expected = 0;
  };
  Slice& slice_of(std::int64_t now_ns);

  std::map<std::uint32_t, Stream> streams_;
  std::array<Slice, 11> slices_{};
  std::uint64_t packets_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace farwheel
