// Messages of the data channel "farwheel" (docs/stats.md): JSON, one object a message. Writing
// never fails; reading takes only what has the documented shape, since the peer may be anybody. No
// state, any thread.
#pragma once

#include <gst/gst.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "support/gst_ptr.h"

namespace farwheel {

inline constexpr std::size_t kMaxMessageBytes = 16 * 1024;

struct PingMessage {
  std::uint64_t id = 0;
  std::int64_t t1 = 0;
};
struct PongMessage {
  std::uint64_t id = 0;
  std::int64_t t1 = 0;
  std::int64_t t2 = 0;
  std::int64_t t3 = 0;
  std::int64_t real_ns = 0;
};
struct StateMessage {
  std::string vehicle;
  std::int64_t mono_ns = 0;
  std::int64_t real_ns = 0;
  GstStructurePtr controller;  // "controller", fields as in rtpbbrcc's stats that were there
};
// The vehicle sends from there now: its address as it knows it, and the priority of its check.
struct PathMessage {
  std::string address;
  std::uint16_t port = 0;
  std::uint32_t priority = 0;
};
// monostate: none of ours.
using Message = std::variant<std::monostate, PingMessage, PongMessage, StateMessage, PathMessage>;

Message read_message(std::string_view text);

std::string write_message(const PingMessage& ping);
std::string write_message(const PongMessage& pong);
std::string write_message(const PathMessage& path);
struct StateHeader {
  std::string vehicle;
  std::int64_t mono_ns = 0;
  std::int64_t real_ns = 0;
};
// `stats` may be null: then only the header.
std::string write_state(const StateHeader& header, const GstStructure* stats);

}  // namespace farwheel
