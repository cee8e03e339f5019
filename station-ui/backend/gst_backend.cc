#include "backend/gst_backend.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "backend/stats_reader.h"

namespace farwheel::station {
namespace {

constexpr guint kStatsIntervalMs = 100;
constexpr Nanoseconds kOverloadShownFor = 3 * kSecond;

// A pad that is gone, kept until the backend's thread has taken its branch down.
struct PadRemoval {
  GstBackend* backend;
  GstPadPtr pad;
};

void attach(GSource* source, GMainContext* context, GSourceFunc function, gpointer data) {
  g_source_set_callback(source, function, data, nullptr);
  g_source_attach(source, context);
  g_source_unref(source);
}

std::string pad_name(GstPad* pad) {
  const GCharPtr name(gst_pad_get_name(pad));
  return name ? name.get() : "";
}

}  // namespace

GstBackend::GstBackend(GstBackendOptions options, QObject* parent)
    : StationBackend(parent),
      options_(std::move(options)),
      context_(g_main_context_new()),
      loop_(g_main_loop_new(context_, FALSE)) {}

GstBackend::~GstBackend() {
  if (thread_.joinable()) {
    GstBackend::stop();
    thread_.join();
  }
  g_main_loop_unref(loop_);
  g_main_context_unref(context_);
}

void GstBackend::start() {
  thread_ = std::thread([this] { run(); });
}

void GstBackend::stop() {
  // As a source, so that it also works while the loop is not running yet.
  attach(
      g_idle_source_new(), context_,
      [](gpointer loop) -> gboolean {
        g_main_loop_quit(static_cast<GMainLoop*>(loop));
        return G_SOURCE_REMOVE;
      },
      loop_);
}

void GstBackend::run() {
  g_main_context_push_thread_default(context_);
  GError* raw_error = nullptr;
  if (!gst_init_check(nullptr, nullptr, &raw_error)) {
    const GErrorPtr error(raw_error);
    give_up(std::string("GStreamer does not start: ") + (error ? error->message : "unknown error"));
  } else if (build()) {
    gst_element_set_state(pipeline_.get(), GST_STATE_PLAYING);
    attach(
        g_timeout_source_new(kStatsIntervalMs), context_,
        [](gpointer self) -> gboolean {
          static_cast<GstBackend*>(self)->read_figures();
          return G_SOURCE_CONTINUE;
        },
        this);
  }
  g_main_loop_run(loop_);
  tear_down();
  g_main_context_pop_thread_default(context_);
  emit stopped();
}

bool GstBackend::build() {
  pipeline_.reset(GST_ELEMENT(gst_object_ref_sink(gst_pipeline_new("station"))));
  source_ = gst_element_factory_make("farwheelsrc", "source");
  if (!source_) {
    give_up(
        "the GStreamer element farwheelsrc is missing; install Farwheel's plugin, or set "
        "GST_PLUGIN_PATH to the folder of libgstfarwheel.so");
    return false;
  }
  gst_bin_add(GST_BIN(pipeline_.get()), source_);
  g_object_set(source_, "listen", options_.listen.c_str(), nullptr);
  if (!options_.token.empty()) g_object_set(source_, "auth-token", options_.token.c_str(), nullptr);
  if (!options_.unit_log.empty()) {
    g_object_set(source_, "unit-log", options_.unit_log.c_str(), nullptr);
  }
  g_signal_connect(source_, "pad-added", G_CALLBACK(on_pad_added), this);
  g_signal_connect(source_, "pad-removed", G_CALLBACK(on_pad_removed), this);
  const GstObjectPtr<GstBus> bus(gst_element_get_bus(pipeline_.get()));
  GSource* watch = gst_bus_create_watch(bus.get());
  const auto on_bus = [](GstBus*, GstMessage* message, gpointer self) -> gboolean {
    static_cast<GstBackend*>(self)->on_message(message);
    return G_SOURCE_CONTINUE;
  };
  attach(watch, context_, G_SOURCE_FUNC(static_cast<GstBusFunc>(on_bus)), this);
  return true;
}

void GstBackend::tear_down() {
  if (!pipeline_) return;
  if (source_) g_signal_handlers_disconnect_by_data(source_, this);
  gst_element_set_state(pipeline_.get(), GST_STATE_NULL);
  Branches gone;
  {
    std::lock_guard lock(mutex_);
    std::swap(gone, branches_);
  }
  gone = {};
  source_ = nullptr;
  pipeline_.reset();
}

void GstBackend::read_figures() {
  GstStructure* raw = nullptr;
  g_object_get(source_, "stats", &raw, nullptr);
  const GstStructurePtr stats(raw);
  if (!stats) return;
  const Nanoseconds now = monotonic_now();
  auto read = std::make_shared<StationStats>(read_stats(stats.get(), now));
  std::uint64_t skipped = 0;
  {
    std::lock_guard lock(mutex_);
    for (const auto& [pad, camera] : branches_.cameras) skipped += camera->units_skipped();
  }
  // A camera that left takes its count along: only growth means overload.
  if (skipped > skipped_before_) overloaded_at_ = now;
  skipped_before_ = skipped;
  read->console_overloaded = overloaded_at_ && now - *overloaded_at_ < kOverloadShownFor;
  emit statsRead(std::move(read));
}

void GstBackend::on_message(GstMessage* message) {
  if (GST_MESSAGE_TYPE(message) != GST_MESSAGE_ERROR) return;
  GError* raw_error = nullptr;
  gst_message_parse_error(message, &raw_error, nullptr);
  const GErrorPtr error(raw_error);
  const GCharPtr where(gst_object_get_path_string(GST_MESSAGE_SRC(message)));
  give_up(std::string(error ? error->message : "an error without words") + " (" + where.get() +
          ")");
}

void GstBackend::give_up(const std::string& what) {
  emit failed(QString::fromStdString(what));
}

void GstBackend::on_pad_added(GstElement*, GstPad* pad, gpointer self) {
  static_cast<GstBackend*>(self)->add_pad(pad);
}

void GstBackend::on_pad_removed(GstElement*, GstPad* pad, gpointer self) {
  auto* backend = static_cast<GstBackend*>(self);
  auto* removal = new PadRemoval{.backend = backend, .pad = ref_gst(pad)};
  // Stopping a branch joins its threads: not in the thread that removes the pad.
  GSource* source = g_idle_source_new();
  g_source_set_priority(source, G_PRIORITY_DEFAULT);
  g_source_set_callback(
      source,
      [](gpointer data) -> gboolean {
        const auto* removed = static_cast<PadRemoval*>(data);
        removed->backend->remove_pad(removed->pad.get());
        return G_SOURCE_REMOVE;
      },
      removal, [](gpointer data) { delete static_cast<PadRemoval*>(data); });
  g_source_attach(source, backend->context_);
  g_source_unref(source);
}

void GstBackend::add_pad(GstPad* pad) {
  if (GST_PAD_DIRECTION(pad) != GST_PAD_SRC) return;
  const std::string name = pad_name(pad);
  if (name.starts_with("video_")) {
    add_camera(pad, name);
  } else if (name.starts_with("radar_")) {
    add_radar(pad);
  }
}

void GstBackend::add_camera(GstPad* pad, const std::string& name) {
  std::shared_ptr<FrameMailbox> frames;
  {
    std::lock_guard lock(mutex_);
    auto& known = mailboxes_[name];
    if (!known) known = std::make_shared<FrameMailbox>();
    frames = known;
  }
  std::string fault;
  std::unique_ptr<CameraBranch> branch =
      CameraBranch::make(GST_BIN(pipeline_.get()), frames, &fault);
  if (!branch) {
    give_up(fault);
    return;
  }
  // Known before the first frame: the receiver must not miss who sent it.
  emit cameraAdded(QString::fromStdString(name), frames);
  if (!branch->link(pad)) give_up("the camera " + name + " sends what this console cannot decode");
  std::lock_guard lock(mutex_);
  branches_.cameras[pad] = std::move(branch);
}

void GstBackend::add_radar(GstPad* pad) {
  std::string fault;
  std::unique_ptr<RadarBranch> branch = RadarBranch::make(
      GST_BIN(pipeline_.get()),
      [this](std::shared_ptr<const ReceivedSweep> sweep) { emit sweepReceived(std::move(sweep)); },
      &fault);
  if (!branch) {
    give_up(fault);
    return;
  }
  if (!branch->link(pad)) give_up("the radar sends what this console cannot read");
  std::lock_guard lock(mutex_);
  branches_.radars[pad] = std::move(branch);
}

void GstBackend::remove_pad(GstPad* pad) {
  std::unique_ptr<CameraBranch> camera;
  std::unique_ptr<RadarBranch> radar;
  {
    std::lock_guard lock(mutex_);
    if (auto node = branches_.cameras.extract(pad)) camera = std::move(node.mapped());
    if (auto node = branches_.radars.extract(pad)) radar = std::move(node.mapped());
  }
  if (camera) emit cameraRemoved(QString::fromStdString(pad_name(pad)));
}

}  // namespace farwheel::station
