// The sticky events under which a packet came: its stream-start, caps and segment. Packets leave in
// another order than they came (radar overtakes cameras, and rtpfunnel sends a segment each time
// its input changes), so each carries its own; what differs from what was last pushed goes before
// it.
#pragma once

#include <gst/gst.h>

#include <cstdint>
#include <memory>

#include "support/gst_ptr.h"

namespace farwheel {

inline constexpr char kTwccExtensionUri[] =
    "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01";

struct StreamContext {
  // Rises with each change.
  std::uint64_t serial = 0;
  GstEventPtr stream_start;
  GstEventPtr caps;
  GstEventPtr segment;
  // Id of the transport-wide header extension by `caps`, from which rtpsession learns it too; 0:
  // none.
  std::uint8_t twcc_id = 0;
};
using StreamContextPtr = std::shared_ptr<const StreamContext>;

// True for the events that make a context.
bool is_context_event(GstEvent* event);
// `before` with the event put in its place; `before` may be null.
StreamContextPtr with_event(const StreamContextPtr& before, GstEvent* event);
// `before` without its segment (after a flush).
StreamContextPtr without_segment(const StreamContextPtr& before);

// Pushes from `src` what of `wanted` differs from what was pushed last. Call without locks, from
// the pad's task.
class PushedContext {
 public:
  void push(GstPad* src, const StreamContextPtr& wanted);
  bool is_current(const StreamContextPtr& wanted) const { return current_ == wanted; }
  // The newest context of which anything was pushed.
  std::uint64_t newest_serial() const { return newest_serial_; }
  void forget() { *this = PushedContext(); }
  void forget_segment() { current_ = without_segment(current_); }

 private:
  StreamContextPtr current_;
  std::uint64_t newest_serial_ = 0;
};

}  // namespace farwheel
