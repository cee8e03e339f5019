// Where the packets of a pad go: found by walking down to the element that sends them.
#pragma once

#include <gst/gst.h>

#include <string>

namespace farwheel {

// Numeric addresses; empty where unknown.
struct SendAddress {
  std::string local;
  std::string peer;
};

// Of udpsink and its kind the property `host`; of nicesink (so of webrtcbin) ICE's selected pair.
SendAddress find_send_address(GstPad* src);

}  // namespace farwheel
