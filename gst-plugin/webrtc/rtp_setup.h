// Settings inside webrtcbin that it has no properties for, made when its elements appear
// ("deep-element-added"): prompt feedback, timestamps of our own, no lip sync between feeds, and
// watching whether SRTP really has keys.
#pragma once

#include <gst/gst.h>

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "support/gst_ptr.h"

namespace farwheel {

// Shared with the signal's closure, which may outlive the session by a moment.
class RtpSetup : public std::enable_shared_from_this<RtpSetup> {
 public:
  // Called on streaming threads with each RTP or RTCP packet that arrived; read-only.
  using PacketSeen = std::function<void(GstBuffer*)>;
  struct Watchers {
    PacketSeen rtp;   // may be empty
    PacketSeen rtcp;  // may be empty
    // The feeds' packets with retransmissions in their places, before the jitter buffers.
    PacketSeen media;  // may be empty
  };
  explicit RtpSetup(Watchers watchers) : watchers_(std::move(watchers)) {}

  void attach(GstElement* webrtcbin);
  // How long jitter buffers wait for a missing packet, and after what they ask for it again; those
  // that are made later too.
  void set_repair(GstElement* webrtcbin, unsigned wait_ms, unsigned retry_ms);
  // DTLS is connected and an srtpenc or srtpdec works with a cipher.
  bool is_encrypted(GstElement* webrtcbin) const;

 private:
  void on_element(GstElement* element);
  void on_rtpbin_pad(GstPad* pad);
  void watch(GstPad* pad, const PacketSeen* seen);

  using WeakElement = std::unique_ptr<GWeakRef, void (*)(GWeakRef*)>;

  const Watchers watchers_;
  mutable std::mutex mutex_;
  std::vector<WeakElement> srtp_elements_;
  std::vector<WeakElement> jitter_buffers_;
  unsigned retry_ms_ = 0;  // 0: the buffers' own
};

}  // namespace farwheel
