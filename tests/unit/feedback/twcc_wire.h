// Transport-wide feedback as it is on the wire (draft-holmer-rmcat-transport-wide-cc-extensions-01,
// section 3.1): written from arrivals, and read as rtpsession reads it. Reading checks every length
// first; what does not add up gives nothing. RTCP's own header and SSRCs are left out.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "feedback/feedback_adapter.h"

namespace farwheel {

struct WireArrival {
  std::uint16_t sequence_number = 0;
  std::optional<std::int64_t> received_ns;  // empty: not received
};

class TwccWire {
 public:
  static constexpr std::int64_t kTick = 250000;         // of a delta
  static constexpr std::int64_t kReference = 64000000;  // of the reference time

  enum class Chunks { kRunLength, kVector };

  // The arrivals' numbers follow each other. Empty if a delta fits no 16 bits.
  static std::vector<std::uint8_t> written(std::span<const WireArrival> arrivals, Chunks chunks) {
    std::vector<std::uint8_t> bytes;
    if (arrivals.empty()) return bytes;
    put16(bytes, arrivals.front().sequence_number);
    put16(bytes, static_cast<std::uint16_t>(arrivals.size()));
    std::int64_t time = 0;
    for (const WireArrival& arrival : arrivals) {
      if (!arrival.received_ns) continue;
      time = *arrival.received_ns / kReference * kReference;
      break;
    }
    const auto reference = static_cast<std::uint32_t>(time / kReference) & 0xffffffu;
    bytes.push_back(static_cast<std::uint8_t>(reference >> 16));
    put16(bytes, static_cast<std::uint16_t>(reference));
    bytes.push_back(0);  // count of feedback packets
    std::vector<int> symbols;
    std::vector<std::uint8_t> deltas;
    for (const WireArrival& arrival : arrivals) {
      if (!arrival.received_ns) {
        symbols.push_back(0);
        continue;
      }
      const std::int64_t ticks = (*arrival.received_ns - time) / kTick;
      time += ticks * kTick;
      if (ticks < -32768 || ticks > 32767) return {};
      const bool is_small = ticks >= 0 && ticks <= 255;
      symbols.push_back(is_small ? 1 : 2);
      if (is_small) {
        deltas.push_back(static_cast<std::uint8_t>(ticks));
      } else {
        put16(deltas, static_cast<std::uint16_t>(ticks));
      }
    }
    chunks == Chunks::kRunLength ? put_runs(bytes, symbols) : put_vectors(bytes, symbols);
    bytes.insert(bytes.end(), deltas.begin(), deltas.end());
    return bytes;
  }

  static std::vector<ReportedPacket> read(std::span<const std::uint8_t> bytes) {
    if (bytes.size() < 8) return {};
    const auto first = get16(bytes, 0);
    const std::size_t count = get16(bytes, 2);
    std::int64_t time = (static_cast<std::int64_t>(bytes[4]) << 16 | get16(bytes, 5)) * kReference;
    std::size_t at = 8;
    std::vector<int> symbols;
    while (symbols.size() < count) {
      if (at + 2 > bytes.size()) return {};
      take_chunk(get16(bytes, at), count, symbols);
      at += 2;
    }
    std::vector<ReportedPacket> packets;
    for (std::size_t i = 0; i < count; ++i) {
      ReportedPacket packet;
      packet.sequence_number = static_cast<std::uint16_t>(first + i);
      packet.lost = symbols[i] == 0;
      const std::size_t size = symbols[i] == 1 ? 1 : symbols[i] == 2 ? 2 : 0;
      if (at + size > bytes.size()) return {};
      if (size == 1) time += bytes[at] * kTick;
      if (size == 2) time += static_cast<std::int16_t>(get16(bytes, at)) * kTick;
      at += size;
      if (size > 0) packet.remote_ns = time;
      packets.push_back(packet);
    }
    return packets;
  }

 private:
  static void put16(std::vector<std::uint8_t>& bytes, std::uint16_t value) {
    bytes.push_back(static_cast<std::uint8_t>(value >> 8));
    bytes.push_back(static_cast<std::uint8_t>(value & 0xff));
  }
  static std::uint16_t get16(std::span<const std::uint8_t> bytes, std::size_t at) {
    return static_cast<std::uint16_t>(bytes[at] << 8 | bytes[at + 1]);
  }
  static void put_runs(std::vector<std::uint8_t>& bytes, const std::vector<int>& symbols) {
    for (std::size_t i = 0; i < symbols.size();) {
      std::size_t end = i;
      while (end < symbols.size() && symbols[end] == symbols[i] && end - i < 8191) ++end;
      put16(bytes, static_cast<std::uint16_t>(symbols[i] << 13 | static_cast<int>(end - i)));
      i = end;
    }
  }
  // Seven symbols of two bits each.
  static void put_vectors(std::vector<std::uint8_t>& bytes, const std::vector<int>& symbols) {
    for (std::size_t i = 0; i < symbols.size(); i += 7) {
      int chunk = 0xc000;
      for (std::size_t k = 0; k < 7 && i + k < symbols.size(); ++k) {
        chunk |= symbols[i + k] << (12 - 2 * k);
      }
      put16(bytes, static_cast<std::uint16_t>(chunk));
    }
  }
  static void take_chunk(int chunk, std::size_t count, std::vector<int>& symbols) {
    const auto add = [&](int symbol) {
      if (symbols.size() < count) symbols.push_back(symbol);
    };
    if ((chunk & 0x8000) == 0) {
      for (int i = 0; i < (chunk & 0x1fff); ++i) add(chunk >> 13 & 3);
      if ((chunk & 0x1fff) == 0) add(0);  // a run of nothing must not hang the reader
    } else if ((chunk & 0x4000) == 0) {
      for (int i = 13; i >= 0; --i) add(chunk >> i & 1);
    } else {
      for (int i = 12; i >= 0; i -= 2) add(chunk >> i & 3);
    }
  }
};

}  // namespace farwheel
