// The radar's way from farwheelsrc's pad to the console: sweeps as values. A buffer that is no
// sweep is counted and left out. Threads: as CameraBranch.
#pragma once

#include <gst/app/gstappsink.h>
#include <gst/gst.h>

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "backend/station_backend.h"
#include "support/gst_ptr.h"

namespace farwheel::station {

class RadarBranch {
 public:
  using Receiver = std::function<void(std::shared_ptr<const ReceivedSweep>)>;

  // Null with `fault` set when an element is missing. `receiver` is called in a streaming thread.
  static std::unique_ptr<RadarBranch> make(GstBin* pipeline, Receiver receiver, std::string* fault);
  ~RadarBranch();
  RadarBranch(const RadarBranch&) = delete;
  RadarBranch& operator=(const RadarBranch&) = delete;

  bool link(GstPad* from);
  std::uint64_t bad_sweeps() const { return bad_sweeps_; }

 private:
  RadarBranch(GstBin* pipeline, Receiver receiver);
  static GstFlowReturn on_sweep(GstAppSink* sink, gpointer self);
  void hand_over(GstSample* sample);

  GstBin* pipeline_;
  Receiver receiver_;
  std::atomic<std::uint64_t> bad_sweeps_ = 0;
  GstElement* sink_ = nullptr;  // owned by the pipeline
};

}  // namespace farwheel::station
