// Decodes a video file in real time and feeds the pictures into an appsrc, over and over without a
// gap at the seam. A pipeline of its own, so that its seeks never touch the live one.
#pragma once

#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>

#include <functional>
#include <string>

#include "support/gst_ptr.h"

namespace farwheel {

class FilePlayer {
 public:
  // `on_error` is called on the default main context, with the file's name in the text.
  FilePlayer(std::string path, GstAppSrc* appsrc, std::function<void(const std::string&)> on_error);
  ~FilePlayer();
  FilePlayer(const FilePlayer&) = delete;
  FilePlayer& operator=(const FilePlayer&) = delete;

  void start();
  void stop();

 private:
  static GstFlowReturn on_sample(GstAppSink* sink, gpointer self);
  static gboolean on_message(GstBus* bus, GstMessage* message, gpointer self);
  void rewind(int extra_flags);

  std::string path_;
  GstObjectPtr<GstAppSrc> appsrc_;
  std::function<void(const std::string&)> on_error_;
  GstElementPtr pipeline_;
  guint watch_ = 0;
  bool looping_ = false;
};

}  // namespace farwheel
