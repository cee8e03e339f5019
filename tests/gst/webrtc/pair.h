// A vehicle's and a station's pipeline in one process, over loopback, with counters on what comes
// out. Limits in here are for liveness only.
#pragma once

#include <gst/app/gstappsink.h>
#include <gst/gst.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "support/gst_ptr.h"

namespace farwheel {

inline bool wait_until(const std::function<bool()>& condition, double seconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return true;
}

struct PadCount {
  std::uint64_t buffers = 0;
  std::uint64_t key_frames = 0;
  std::uint64_t discont = 0;
  std::uint64_t backwards = 0;     // PTS smaller than the one before
  std::uint64_t with_capture = 0;  // capture meta
  GstClockTime capture_age = 0;    // of the last such
  GstClockTime capture_error = 0;
  GstClockTime last_pts = 0;
  std::string caps;
};

class Station {
 public:
  explicit Station(const std::string& listen = "127.0.0.1:0", const std::string& token = "") {
    pipeline_.reset(gst_pipeline_new(nullptr));
    src_ = gst_element_factory_make("farwheelsrc", "src");
    g_object_set(src_, "listen", listen.c_str(), nullptr);
    if (!token.empty()) g_object_set(src_, "auth-token", token.c_str(), nullptr);
    gst_bin_add(GST_BIN(pipeline_.get()), src_);
    g_signal_connect(src_, "pad-added", G_CALLBACK(on_pad_added), this);
    g_signal_connect(src_, "pad-removed", G_CALLBACK(on_pad_removed), this);
    const GstObjectPtr<GstBus> bus(gst_element_get_bus(pipeline_.get()));
    gst_bus_set_sync_handler(bus.get(), on_message, this, nullptr);
    result_ = gst_element_set_state(pipeline_.get(), GST_STATE_PLAYING);
  }
  ~Station() { gst_element_set_state(pipeline_.get(), GST_STATE_NULL); }

  GstStateChangeReturn result() const { return result_; }
  GstElement* pipeline() { return pipeline_.get(); }
  GstElement* src() { return src_; }
  GstStructurePtr stats() {
    GstStructure* stats = nullptr;
    g_object_get(src_, "stats", &stats, nullptr);
    return GstStructurePtr(stats);
  }
  std::string text(const char* field) {
    GstStructurePtr all = stats();
    const char* value = gst_structure_get_string(all.get(), field);
    return value ? value : "";
  }
  std::uint64_t number(const char* field) {
    guint64 value = 0;
    gst_structure_get_uint64(stats().get(), field, &value);
    return value;
  }
  std::string url() { return text("listening"); }
  std::string address() {
    const std::string all = url();
    return all.substr(std::string("http://").size());
  }
  PadCount count(const std::string& pad) {
    std::lock_guard lock(mutex_);
    return counts_[pad];
  }
  int pads_added() const { return pads_added_; }
  int pads_removed() const { return pads_removed_; }
  bool has_error() const { return errors_ > 0; }

 private:
  // Nobody reads this bus: its messages would keep a session's elements alive.
  static GstBusSyncReply on_message(GstBus*, GstMessage* message, gpointer data) {
    if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR) ++static_cast<Station*>(data)->errors_;
    gst_message_unref(message);
    return GST_BUS_DROP;
  }
  static void on_pad_added(GstElement*, GstPad* pad, gpointer data) {
    auto* self = static_cast<Station*>(data);
    ++self->pads_added_;
    GstElement* sink = gst_element_factory_make("fakesink", nullptr);
    g_object_set(sink, "sync", FALSE, "async", FALSE, "signal-handoffs", TRUE, nullptr);
    g_signal_connect(sink, "handoff", G_CALLBACK(on_buffer), self);
    gst_object_set_name(GST_OBJECT(sink), GST_PAD_NAME(pad));
    gst_bin_add(GST_BIN(self->pipeline_.get()), sink);
    gst_element_sync_state_with_parent(sink);
    GstPadPtr sink_pad(gst_element_get_static_pad(sink, "sink"));
    gst_pad_link(pad, sink_pad.get());
  }
  static void on_pad_removed(GstElement*, GstPad* pad, gpointer data) {
    if (GST_PAD_IS_SRC(pad)) ++static_cast<Station*>(data)->pads_removed_;
  }
  static void on_buffer(GstElement* sink, GstBuffer* buffer, GstPad* pad, gpointer data) {
    auto* self = static_cast<Station*>(data);
    GstCapsPtr capture(gst_caps_new_empty_simple("timestamp/x-farwheel-capture"));
    GstReferenceTimestampMeta* meta =
        gst_buffer_get_reference_timestamp_meta(buffer, capture.get());
    GstCapsPtr caps(gst_pad_get_current_caps(pad));
    const GCharPtr caps_text(gst_caps_to_string(caps.get()));
    std::lock_guard lock(self->mutex_);
    PadCount& count = self->counts_[GST_OBJECT_NAME(sink)];
    ++count.buffers;
    count.caps = caps_text.get();
    if (!GST_BUFFER_FLAG_IS_SET(buffer, GST_BUFFER_FLAG_DELTA_UNIT)) ++count.key_frames;
    if (GST_BUFFER_FLAG_IS_SET(buffer, GST_BUFFER_FLAG_DISCONT)) ++count.discont;
    if (GST_BUFFER_PTS(buffer) < count.last_pts) ++count.backwards;
    count.last_pts = GST_BUFFER_PTS(buffer);
    if (meta) {
      ++count.with_capture;
      const GstClockTime now = gst_util_get_timestamp();
      count.capture_age = now > meta->timestamp ? now - meta->timestamp : 0;
      count.capture_error = meta->duration;
    }
  }

  GstElementPtr pipeline_;
  GstElement* src_ = nullptr;
  GstStateChangeReturn result_ = GST_STATE_CHANGE_FAILURE;
  std::atomic<int> pads_added_{0};
  std::atomic<int> pads_removed_{0};
  std::atomic<int> errors_{0};
  std::mutex mutex_;
  std::map<std::string, PadCount> counts_;
};

inline constexpr char kCamera[] =
    "videotestsrc is-live=true pattern=ball ! video/x-raw,width=320,height=240,framerate=30/1 ! "
    "s. ";

class Vehicle {
 public:
  explicit Vehicle(const std::string& url, const std::string& sources = kCamera,
                   const std::string& properties = "") {
    const std::string text =
        "farwheelsink name=s whip-endpoint=" + url + " " + properties + " " + sources;
    GError* raw = nullptr;
    pipeline_.reset(gst_parse_launch(text.c_str(), &raw));
    GErrorPtr error(raw);
    if (error) ADD_FAILURE() << text << ": " << error->message;
    gst_object_ref_sink(pipeline_.get());
    result_ = gst_element_set_state(pipeline_.get(), GST_STATE_PLAYING);
  }
  ~Vehicle() { gst_element_set_state(pipeline_.get(), GST_STATE_NULL); }

  GstStateChangeReturn result() const { return result_; }
  GstElement* pipeline() { return pipeline_.get(); }
  GstElementPtr element(const char* name) {
    return GstElementPtr(gst_bin_get_by_name(GST_BIN(pipeline_.get()), name));
  }
  GstStructurePtr stats() {
    GstStructure* stats = nullptr;
    g_object_get(element("s").get(), "stats", &stats, nullptr);
    return GstStructurePtr(stats);
  }
  std::string text(const char* field) {
    GstStructurePtr all = stats();
    const char* value = gst_structure_get_string(all.get(), field);
    return value ? value : "";
  }
  bool connected() { return text("connection") == "connected"; }
  // The text of the first message of a type that comes within the time, empty: none.
  std::string message(GstMessageType type, double seconds) {
    GstObjectPtr<GstBus> bus(gst_element_get_bus(pipeline_.get()));
    GstMessagePtr message(
        gst_bus_timed_pop_filtered(bus.get(), static_cast<GstClockTime>(seconds * 1e9), type));
    if (!message) return {};
    if (type == GST_MESSAGE_EOS) return "EOS";
    GError* raw = nullptr;
    if (type == GST_MESSAGE_ERROR) gst_message_parse_error(message.get(), &raw, nullptr);
    if (type == GST_MESSAGE_WARNING) gst_message_parse_warning(message.get(), &raw, nullptr);
    GErrorPtr error(raw);
    return error ? error->message : "";
  }

 private:
  GstElementPtr pipeline_;
  GstStateChangeReturn result_ = GST_STATE_CHANGE_FAILURE;
};

}  // namespace farwheel
