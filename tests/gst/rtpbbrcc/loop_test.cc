// The element before a real rtpsession, against a real receiver in the same process over loopback
// UDP: sequence numbers, feedback, encoders and statistics as a user's pipeline has them.
#include <gst/gst.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <thread>

#include "rtp_packets.h"

namespace farwheel::test {
namespace {

constexpr char kExtmap[] =
    "extmap-1=(string)http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01";

std::string camera(const std::string& name, int payload_type, const std::string& ssrc) {
  return "videotestsrc is-live=true pattern=smpte ! "
         "video/x-raw,width=320,height=180,framerate=30/1 ! "
         "x264enc name=" +
         name + " tune=zerolatency speed-preset=ultrafast key-int-max=3000 ! rtph264pay pt=" +
         std::to_string(payload_type) + " ssrc=" + ssrc +
         " mtu=1200 aggregate-mode=zero-latency ! application/x-rtp," + kExtmap + " ! ";
}

// A KLV unit of `size` bytes: universal key, BER length, zeros.
GstBufferPtr klv_unit(std::size_t size) {
  GstBufferPtr buffer(gst_buffer_new_allocate(nullptr, 20 + size, nullptr));
  gst_buffer_memset(buffer.get(), 0, 0, 20 + size);
  const guint8 head[20] = {0x06,
                           0x0e,
                           0x2b,
                           0x34,
                           1,
                           1,
                           1,
                           1,
                           1,
                           1,
                           1,
                           1,
                           1,
                           1,
                           1,
                           1,
                           0x83,
                           0,
                           static_cast<guint8>(size >> 8),
                           static_cast<guint8>(size & 0xff)};
  gst_buffer_fill(buffer.get(), 0, head, sizeof(head));
  return buffer;
}

class Loop {
 public:
  // `ports`: the first of three, apart for each test since sockets of the last may linger.
  Loop(const std::string& senders, int ports) {
    const auto port = [ports](int i) { return std::to_string(ports + i); };
    GError* error = nullptr;
    sender_.reset(gst_parse_launch(
        ("rtpbin name=rb rtp-profile=avpf " + senders +
         " rb.send_rtp_src_0 ! udpsink host=127.0.0.1 port=" + port(0) +
         " sync=false async=false rb.send_rtcp_src_0 ! udpsink host=127.0.0.1 port=" + port(1) +
         " sync=false async=false udpsrc port=" + port(2) + " ! rb.recv_rtcp_sink_0")
            .c_str(),
        &error));
    EXPECT_EQ(error, nullptr) << error->message;
    receiver_.reset(gst_parse_launch(
        ("rtpbin name=rx latency=20 rtp-profile=avpf udpsrc port=" + port(0) +
         " caps=\"application/x-rtp,media=(string)video,clock-rate=(int)90000,"
         "encoding-name=(string)H264,payload=(int)96," +
         kExtmap + "\" ! rx.recv_rtp_sink_0 udpsrc port=" + port(1) +
         " ! rx.recv_rtcp_sink_0 rx.send_rtcp_src_0 ! udpsink host=127.0.0.1 port=" + port(2) +
         " sync=false async=false")
            .c_str(),
        &error));
    EXPECT_EQ(error, nullptr) << error->message;
    GstElementPtr rx(gst_bin_get_by_name(GST_BIN(receiver_.get()), "rx"));
    GObject* session = nullptr;
    g_signal_emit_by_name(rx.get(), "get-internal-session", 0u, &session);
    g_object_set(session, "bandwidth", 2e7, "twcc-feedback-interval", 10 * GST_MSECOND, nullptr);
    g_object_unref(session);
    // Whatever comes out is thrown away.
    g_signal_connect(rx.get(), "pad-added", G_CALLBACK(+[](GstElement*, GstPad* pad, gpointer bin) {
                       GstElement* sink = gst_element_factory_make("fakesink", nullptr);
                       g_object_set(sink, "sync", FALSE, "async", FALSE, nullptr);
                       gst_bin_add(GST_BIN(bin), sink);
                       const GstPadPtr in(gst_element_get_static_pad(sink, "sink"));
                       gst_pad_link(pad, in.get());
                       gst_element_sync_state_with_parent(sink);
                     }),
                     receiver_.get());
    cc_.reset(gst_bin_get_by_name(GST_BIN(sender_.get()), "cc"));
  }
  ~Loop() {
    gst_element_set_state(sender_.get(), GST_STATE_NULL);
    gst_element_set_state(receiver_.get(), GST_STATE_NULL);
  }

  void play() {
    gst_element_set_state(receiver_.get(), GST_STATE_PLAYING);
    gst_element_set_state(sender_.get(), GST_STATE_PLAYING);
  }

  GstElement* cc() const { return cc_.get(); }
  GstElement* sender() const { return sender_.get(); }
  GstElementPtr element(const char* name) const {
    return GstElementPtr(gst_bin_get_by_name(GST_BIN(sender_.get()), name));
  }

  GstStructurePtr stats() const {
    GstStructure* raw = nullptr;
    g_object_get(cc_.get(), "stats", &raw, nullptr);
    return GstStructurePtr(raw);
  }
  guint64 count(const char* field) const {
    guint64 value = 0;
    gst_structure_get_uint64(stats().get(), field, &value);
    return value;
  }
  // Looks at the condition again and again, for at most 10 s.
  static bool eventually(const std::function<bool()>& condition) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (std::chrono::steady_clock::now() < deadline) {
      if (condition()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return condition();
  }

 private:
  GstElementPtr sender_;
  GstElementPtr receiver_;
  GstElementPtr cc_;
};

guint uint_property(GstElement* element, const char* name) {
  guint value = 0;
  g_object_get(element, name, &value, nullptr);
  return value;
}

TEST(RtpBbrCcLoop, FeedbackComesAndTheEncoderFollows) {
  Loop loop(camera("enc", 96, "1111") + "rtpbbrcc name=cc ! rb.send_rtp_sink_0", 47310);
  std::atomic<int> notified = 0;
  // A handler that reads what the element's mutex guards: it would not come back from under it.
  g_signal_connect(loop.cc(), "notify::estimated-bitrate",
                   G_CALLBACK(+[](GstElement* cc, GParamSpec*, gpointer count) {
                     GstStructure* stats = nullptr;
                     g_object_get(cc, "stats", &stats, nullptr);
                     gst_structure_free(stats);
                     ++*static_cast<std::atomic<int>*>(count);
                   }),
                   &notified);
  loop.play();
  ASSERT_TRUE(Loop::eventually([&] { return loop.count("packets-delivered") > 100; }));
  EXPECT_TRUE(Loop::eventually([&] { return notified > 0; }));
  const GstElementPtr encoder = loop.element("enc");
  // kbit/s of media below bit/s of packets with their headers, and within the dead band of it.
  EXPECT_TRUE(Loop::eventually([&] {
    const double target = uint_property(loop.cc(), "estimated-bitrate");
    const double encoded = uint_property(encoder.get(), "bitrate") * 1000.0;
    return encoded < target && encoded > 0.8 * target;
  })) << uint_property(loop.cc(), "estimated-bitrate")
      << " " << uint_property(encoder.get(), "bitrate");
  EXPECT_EQ(uint_property(encoder.get(), "vbv-buf-capacity"), 100u);

  const GstStructurePtr stats = loop.stats();
  EXPECT_GT(loop.count("reports"), 5u);
  EXPECT_EQ(loop.count("odd-reports"), 0u);
  EXPECT_EQ(loop.count("packets-lost"), 0u);
  double rtt = -1;
  EXPECT_TRUE(gst_structure_get_double(stats.get(), "min-rtt-ms", &rtt));
  EXPECT_GE(rtt, 0);
  EXPECT_LT(rtt, 50);
  gint64 lowest = 0;
  gint64 middle = 0;
  EXPECT_TRUE(gst_structure_get_int64(stats.get(), "owd-raw-min-ns", &lowest));
  EXPECT_TRUE(gst_structure_get_int64(stats.get(), "owd-raw-p50-ns", &middle));
  EXPECT_LE(lowest, middle);
  EXPECT_STREQ(gst_structure_get_string(stats.get(), "tx-interface"), "lo");
}

TEST(RtpBbrCcLoop, TellsTwoCamerasAndARadarApart) {
  Loop loop(camera("front", 96, "1111") + "f. " + camera("rear", 96, "2222") +
                "f. appsrc name=radar is-live=true format=time do-timestamp=true "
                "caps=\"meta/x-klv,parsed=(boolean)true\" ! rtpklvpay pt=98 ssrc=3333 ! "
                "application/x-rtp," +
                kExtmap + " ! f. rtpfunnel name=f ! rtpbbrcc name=cc ! rb.send_rtp_sink_0",
            47320);
  loop.play();
  const GstElementPtr radar = loop.element("radar");
  EXPECT_TRUE(Loop::eventually([&] {
    GstFlowReturn flow = GST_FLOW_OK;
    const GstBufferPtr unit = klv_unit(1200);
    g_signal_emit_by_name(radar.get(), "push-buffer", unit.get(), &flow);
    return loop.count("packets-delivered") > 200;
  }));
  const GstStructurePtr stats = loop.stats();
  const GValue* feeds = gst_structure_get_value(stats.get(), "feeds");
  ASSERT_EQ(gst_value_array_get_size(feeds), 3u);
  guint64 target_sum = 0;
  int cameras = 0;
  for (guint i = 0; i < 3; ++i) {
    const GstStructure* feed = gst_value_get_structure(gst_value_array_get_value(feeds, i));
    guint ssrc = 0;
    guint64 target = 0;
    gst_structure_get_uint(feed, "ssrc", &ssrc);
    gst_structure_get_uint64(feed, "target-bps", &target);
    target_sum += target;
    const std::string kind = gst_structure_get_string(feed, "kind");
    if (ssrc == 3333) {
      EXPECT_EQ(kind, "radar");
      EXPECT_STREQ(gst_structure_get_string(feed, "name"), "radar_0");
      EXPECT_FALSE(gst_structure_has_field(feed, "encoder"));
    } else {
      ++cameras;
      EXPECT_EQ(kind, "camera");
      EXPECT_STREQ(gst_structure_get_string(feed, "encoder"), "x264enc");
    }
    guint64 units = 0;
    gst_structure_get_uint64(feed, "units-sent", &units);
    EXPECT_GT(units, 3u);
  }
  EXPECT_EQ(cameras, 2);
  // Of the same moment, and each feed's share is cut to whole bit/s.
  guint64 target = 0;
  EXPECT_TRUE(gst_structure_get_uint64(stats.get(), "target-bps", &target));
  EXPECT_LE(target_sum, target);
  EXPECT_GE(target_sum + 2, target);
  // Both encoders were set, each on its own.
  EXPECT_EQ(uint_property(loop.element("front").get(), "vbv-buf-capacity"), 100u);
  EXPECT_EQ(uint_property(loop.element("rear").get(), "vbv-buf-capacity"), 100u);
}

TEST(RtpBbrCcLoop, MirrorsAgainAfterTheElementAloneRestarted) {
  Loop loop(camera("enc", 96, "1111") + "queue ! rtpbbrcc name=cc ! rb.send_rtp_sink_0", 47330);
  loop.play();
  ASSERT_TRUE(Loop::eventually([&] { return loop.count("packets-delivered") > 50; }));
  // rtpsession goes on counting; ours starts at 0.
  const GstPadPtr sink(gst_element_get_static_pad(loop.cc(), "sink"));
  const GstPadPtr peer(gst_pad_get_peer(sink.get()));
  const gulong probe = gst_pad_add_probe(
      peer.get(), static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_BLOCK_DOWNSTREAM),
      [](GstPad*, GstPadProbeInfo*, gpointer) { return GST_PAD_PROBE_OK; }, nullptr, nullptr);
  gst_element_set_locked_state(loop.cc(), TRUE);
  gst_element_set_state(loop.cc(), GST_STATE_READY);
  gst_element_set_locked_state(loop.cc(), FALSE);
  gst_element_sync_state_with_parent(loop.cc());
  // What upstream pushed before is sticky on its pad and comes again.
  gst_pad_remove_probe(peer.get(), probe);
  EXPECT_TRUE(Loop::eventually([&] { return loop.count("packets-delivered") > 50; }));
  EXPECT_EQ(loop.count("packets-lost"), 0u);
}

}  // namespace
}  // namespace farwheel::test
