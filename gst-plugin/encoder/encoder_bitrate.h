// Sets one encoder's bitrate in that encoder's own unit, not more often than it is worth. Holds no
// reference to the encoder. Not thread-safe; setting a property runs the encoder's code and its
// notify handlers, so call without any lock.
#pragma once

#include <gst/gst.h>

#include <optional>
#include <string>

#include "encoder/encoder_table.h"
#include "support/gst_weak.h"
#include "units/data.h"

namespace farwheel {

// The name of the factory that made the element; empty for none.
std::string factory_name(GstElement* element);

class EncoderBitrate {
 public:
  enum class Outcome { kSet, kWithinDeadBand, kGone, kUnknownEncoder };

  // Dead band: lower by more than 3 % or higher by more than 5 % at once, other changes from 1 % on
  // at most every 200 ms.
  static constexpr double kLowerAtOnce = 0.03;
  static constexpr double kRaiseAtOnce = 0.05;
  static constexpr double kWorthSetting = 0.01;
  static constexpr TimeDelta kSmallChangeInterval = TimeDelta::from_millis(200);
  // A rate buffer of this length follows a lower bitrate within a frame or two and keeps key frames
  // below 3 times the mean (measured with x264enc); encoders' own defaults are 600 ms and more.
  static constexpr TimeDelta kRateBuffer = TimeDelta::from_millis(100);

  explicit EncoderBitrate(GstElement* encoder);

  // The encoder's factory name, also when it is not in the table.
  const std::string& factory() const { return factory_; }
  bool known() const { return entry_ != nullptr; }

  // Brings the encoder to `target`, clamped to its property's range. The first call also sets the
  // rate buffer, where that is still at its default.
  Outcome set(Timestamp now, DataRate target);
  // What was last set; empty before the first time.
  std::optional<DataRate> last_set() const { return last_set_; }

 private:
  bool within_dead_band(Timestamp now, DataRate target) const;
  void set_rate_buffer(GstElement* encoder, DataRate target);

  GstWeak<GstElement> encoder_;
  std::string factory_;
  const EncoderEntry* entry_;
  std::optional<DataRate> last_set_;
  Timestamp last_set_at_ = Timestamp::infinite_past();
  bool buffer_is_ours_ = false;
  bool buffer_looked_at_ = false;
};

}  // namespace farwheel
