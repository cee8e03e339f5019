// One camera's way from farwheelsrc's pad to its mailbox: decode, convert, hand over.
//   pad ! queue ! avdec_h264 ! queue (newest only) ! videoconvert ! BGRx ! appsink
// The queue before the decoder holds coded pictures, of which none may be dropped alone;
// OverloadGate judges them as they leave it. The one behind it holds pictures, of which only the
// newest matter. Threads: made and destroyed outside its own streaming threads; frames leave from
// one of them.
#pragma once

#include <gst/app/gstappsink.h>
#include <gst/gst.h>

#include <atomic>
#include <memory>
#include <string>

#include "backend/frame_mailbox.h"
#include "backend/overload_gate.h"
#include "backend/unit_ledger.h"
#include "support/gst_ptr.h"

namespace farwheel::station {

class CameraBranch {
 public:
  // Null with `fault` set when an element is missing. `frames` gets every picture.
  static std::unique_ptr<CameraBranch> make(GstBin* pipeline,
                                            const std::shared_ptr<FrameMailbox>& frames,
                                            std::string* fault);
  ~CameraBranch();
  CameraBranch(const CameraBranch&) = delete;
  CameraBranch& operator=(const CameraBranch&) = delete;

  bool link(GstPad* from);
  // Coded pictures skipped since the decoder could not keep up.
  std::uint64_t units_skipped() const { return units_skipped_; }

 private:
  CameraBranch(GstBin* pipeline, const std::shared_ptr<FrameMailbox>& frames);
  bool build(std::string* fault);
  static GstPadProbeReturn on_arrival(GstPad* pad, GstPadProbeInfo* info, gpointer self);
  static GstPadProbeReturn before_decoder(GstPad* pad, GstPadProbeInfo* info, gpointer self);
  static GstFlowReturn on_picture(GstAppSink* sink, gpointer self);
  void hand_over(GstSample* sample);

  GstBin* pipeline_;
  std::shared_ptr<FrameMailbox> frames_;
  UnitLedger units_;
  OverloadGate gate_;  // only in the decoder's thread
  std::atomic<std::uint64_t> units_skipped_ = 0;
  GstElement* bin_ = nullptr;  // owned by the pipeline
};

// The capture time that farwheelsrc put on a buffer, if any.
std::optional<CaptureTime> capture_time_of(GstBuffer* buffer);

}  // namespace farwheel::station
