// One decoded picture on its way to the screen. The image shares the decoder's memory; whoever
// holds the last copy gives it back.
#pragma once

#include <QImage>
#include <QSizeF>
#include <cstdint>
#include <optional>

#include "backend/monotonic_clock.h"

namespace farwheel::station {

struct CaptureTime {
  Nanoseconds at = 0;    // on the station's monotonic clock
  Nanoseconds band = 0;  // half width of the error band
};

struct VideoFrame {
  QImage image;
  // As it should look, after the pixel aspect ratio.
  QSizeF display_size;
  std::optional<CaptureTime> capture;
  // When its coded form entered the console, and when it was decoded.
  Nanoseconds received_at = 0;
  Nanoseconds decoded_at = 0;
};

}  // namespace farwheel::station
