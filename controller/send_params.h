// The tunables of what surrounds the path model, by name: queues, pacer, silence, media targets.
// The model's own are in bbr/bbr_params.h.
#pragma once

#include <string>
#include <string_view>

#include "units/data.h"

namespace farwheel {

struct SendParams {
  double hold_ms = 100;           // feedback overdue by this: video is held
  double hold_floor_ms = 250;     // by this much more: encoders at their minimum
  double blind_after_ms = 5000;   // by this much more: media goes on at the minimum
  double trickle_ms = 200;        // in silence, a packet at least this often (or every 2 RTT)
  double restart_after_ms = 500;  // a longer silence ends with a fresh key frame
  double key_request_ms = 250;    // least time between two requests to one feed
  double key_patience = 3;        // a key frame may wait this many times max_queue_time
  double rtx_wait_ms = 100;       // a retransmission that waited longer is dropped
  double burst_ms = 5;            // what the pacer may let go at once
  double timer_ms = 1;            // least pause that the pacer asks for
  double backlog_drain_ms = 176;  // in this time a target works off what its feed has queued
};

struct SplitParams {
  std::string own;    // "name=value,..." of SendParams
  std::string other;  // the rest, in the same form
};
SplitParams split_params(std::string_view text);

// Applies "name=value,..." to params. Empty on success; else what is wrong with which name, and
// nothing is changed.
[[nodiscard]] std::string apply_params(std::string_view text, SendParams& params);
std::string print_params(const SendParams& params);

}  // namespace farwheel
