#include "file_player.h"

#include <utility>

namespace farwheel {

FilePlayer::FilePlayer(std::string path, GstAppSrc* appsrc,
                       std::function<void(const std::string&)> on_error)
    : path_(std::move(path)), appsrc_(ref_gst(appsrc)), on_error_(std::move(on_error)) {
  GError* error = nullptr;
  pipeline_.reset(
      gst_parse_launch("filesrc name=file ! decodebin ! "
                       "videoconvert ! video/x-raw,format=I420 ! "
                       "appsink name=frames max-buffers=2 enable-last-sample=false",
                       &error));
  if (error) {
    const GErrorPtr owned(error);
    on_error_(path_ + ": " + owned->message);
    return;
  }
  gst_object_ref_sink(pipeline_.get());
  const GstElementPtr file(gst_bin_get_by_name(GST_BIN(pipeline_.get()), "file"));
  g_object_set(file.get(), "location", path_.c_str(), nullptr);
  const GstElementPtr frames(gst_bin_get_by_name(GST_BIN(pipeline_.get()), "frames"));
  GstAppSinkCallbacks callbacks{};
  callbacks.new_sample = &FilePlayer::on_sample;
  gst_app_sink_set_callbacks(GST_APP_SINK(frames.get()), &callbacks, this, nullptr);
  const GstObjectPtr<GstBus> bus(gst_element_get_bus(pipeline_.get()));
  watch_ = gst_bus_add_watch(bus.get(), &FilePlayer::on_message, this);
}

FilePlayer::~FilePlayer() {
  stop();
  if (watch_ != 0) g_source_remove(watch_);
}

void FilePlayer::start() {
  if (pipeline_) gst_element_set_state(pipeline_.get(), GST_STATE_PLAYING);
}

void FilePlayer::stop() {
  if (pipeline_) gst_element_set_state(pipeline_.get(), GST_STATE_NULL);
}

GstFlowReturn FilePlayer::on_sample(GstAppSink* sink, gpointer self) {
  const GstSamplePtr sample(gst_app_sink_pull_sample(sink));
  if (!sample) return GST_FLOW_EOS;
  auto* player = static_cast<FilePlayer*>(self);
  GstBufferPtr buffer(gst_buffer_copy(gst_sample_get_buffer(sample.get())));
  // The live pipeline stamps it with its own time: a frame is captured when it is due here.
  GST_BUFFER_PTS(buffer.get()) = GST_CLOCK_TIME_NONE;
  GST_BUFFER_DTS(buffer.get()) = GST_CLOCK_TIME_NONE;
  gst_app_src_set_caps(player->appsrc_.get(), gst_sample_get_caps(sample.get()));
  return gst_app_src_push_buffer(player->appsrc_.get(), buffer.release());
}

void FilePlayer::rewind(int extra_flags) {
  const auto flags = static_cast<GstSeekFlags>(GST_SEEK_FLAG_SEGMENT | extra_flags);
  if (!gst_element_seek(pipeline_.get(), 1.0, GST_FORMAT_TIME, flags, GST_SEEK_TYPE_SET, 0,
                        GST_SEEK_TYPE_NONE, 0)) {
    on_error_(path_ + ": cannot be played again from the start (not seekable)");
  }
}

gboolean FilePlayer::on_message(GstBus*, GstMessage* message, gpointer self) {
  auto* player = static_cast<FilePlayer*>(self);
  switch (GST_MESSAGE_TYPE(message)) {
    case GST_MESSAGE_ASYNC_DONE:
      // Played as a segment, the file ends without EOS and joins its start without a gap.
      if (!std::exchange(player->looping_, true)) player->rewind(GST_SEEK_FLAG_FLUSH);
      break;
    case GST_MESSAGE_SEGMENT_DONE:
      player->rewind(GST_SEEK_FLAG_NONE);
      break;
    case GST_MESSAGE_EOS:
      player->rewind(GST_SEEK_FLAG_FLUSH);
      break;
    case GST_MESSAGE_ERROR: {
      GError* error = nullptr;
      gst_message_parse_error(message, &error, nullptr);
      const GErrorPtr owned(error);
      player->on_error_(player->path_ + ": " + owned->message);
      break;
    }
    default:
      break;
  }
  return G_SOURCE_CONTINUE;
}

}  // namespace farwheel
