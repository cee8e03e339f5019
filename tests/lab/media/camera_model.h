// An encoder as x264 with a VBV of a few frames behaves: lognormal sizes (sigma 0.2) around its
// rate, a lower target reached in two frames, a higher one with a 300-ms time constant, a key frame
// three times the mean, at the start and when asked. Pure, not thread-safe.
#pragma once

#include <cstdint>

#include "media/media_config.h"
#include "path/random.h"
#include "units/data.h"

namespace farwheel::lab::media {

class CameraModel {
 public:
  struct Frame {
    std::int64_t bytes;
    bool is_key;
  };

  CameraModel(const CameraConfig& config, std::uint64_t seed) : config_(config), random_(seed) {}

  // What the element sets, with its dead band: small changes wait.
  void set_target(Timestamp now, DataRate target);
  void ask_for_key_frame() { key_wanted_ = true; }
  Frame capture();
  const CameraConfig& config() const { return config_; }

 private:
  double next_size();

  CameraConfig config_;
  Random random_;
  double set_ = 0;       // bit/s, as the element set it last
  double previous_ = 0;  // at the last frame
  double rate_ = 0;
  Timestamp set_at_ = Timestamp::infinite_past();
  bool key_wanted_ = true;
  std::size_t next_ = 0;
};

}  // namespace farwheel::lab::media
