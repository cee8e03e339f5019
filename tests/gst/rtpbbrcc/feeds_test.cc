// Several streams through rtpfunnel, without a receiver: which stream is what, who goes first,
// whose encoder is asked for a key frame.
#include <gst/gst.h>
#include <gst/video/video.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <string>
#include <vector>

#include "rtp_packets.h"

namespace farwheel::test {
namespace {

constexpr char kExtmap[] =
    "extmap-1=(string)http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01";

std::string source(const char* name, const char* encoding, int payload_type, int ssrc) {
  return std::string("appsrc format=time name=") + name +
         " caps=\"application/x-rtp,media=(string)video,clock-rate=(int)90000,"
         "encoding-name=(string)" +
         encoding + ",payload=(int)" + std::to_string(payload_type) + ",ssrc=(uint)" +
         std::to_string(ssrc) + "," + kExtmap + "\" ! ";
}

class Funnel {
 public:
  explicit Funnel(const std::string& description) {
    GError* error = nullptr;
    pipeline_.reset(gst_parse_launch(
        (description + " rtpfunnel name=f ! rtpbbrcc name=cc ! appsink name=out sync=false "
                       "emit-signals=false max-buffers=0")
            .c_str(),
        &error));
    EXPECT_EQ(error, nullptr) << error->message;
    cc_ = element("cc");
    out_ = element("out");
    gst_element_set_state(pipeline_.get(), GST_STATE_PLAYING);
  }
  ~Funnel() { gst_element_set_state(pipeline_.get(), GST_STATE_NULL); }

  GstElementPtr element(const char* name) const {
    return GstElementPtr(gst_bin_get_by_name(GST_BIN(pipeline_.get()), name));
  }
  GstElement* cc() const { return cc_.get(); }

  void push(const char* name, const PacketSpec& spec) {
    GstFlowReturn flow = GST_FLOW_OK;
    const GstBufferPtr buffer = make_packet(spec);
    g_signal_emit_by_name(element(name).get(), "push-buffer", buffer.get(), &flow);
    EXPECT_EQ(flow, GST_FLOW_OK);
  }

  // The next packet that leaves, or null after `patience` without one.
  GstSamplePtr pull(GstClockTime patience = 2 * GST_SECOND) {
    GstSample* sample = nullptr;
    g_signal_emit_by_name(out_.get(), "try-pull-sample", patience, &sample);
    return GstSamplePtr(sample);
  }

  // Counts force-key-unit events that reach the element's src pad.
  std::atomic<int>* count_key_requests(const char* name) {
    auto* count = &counts_[name];
    const GstPadPtr pad(gst_element_get_static_pad(element(name).get(), "src"));
    gst_pad_add_probe(
        pad.get(), GST_PAD_PROBE_TYPE_EVENT_UPSTREAM,
        [](GstPad*, GstPadProbeInfo* info, gpointer data) {
          if (gst_video_event_is_force_key_unit(GST_PAD_PROBE_INFO_EVENT(info))) {
            ++*static_cast<std::atomic<int>*>(data);
          }
          return GST_PAD_PROBE_OK;
        },
        count, nullptr);
    return count;
  }

  guint64 number(const char* field) {
    GstStructure* raw = nullptr;
    g_object_get(cc(), "stats", &raw, nullptr);
    const GstStructurePtr stats(raw);
    guint64 value = 0;
    gst_structure_get_uint64(raw, field, &value);
    return value;
  }

  // A field of the feed with this SSRC, as text; empty when there is none.
  std::string feed_field(guint ssrc, const char* field) {
    GstStructure* raw = nullptr;
    g_object_get(cc(), "stats", &raw, nullptr);
    const GstStructurePtr stats(raw);
    const GValue* feeds = gst_structure_get_value(raw, "feeds");
    for (guint i = 0; i < gst_value_array_get_size(feeds); ++i) {
      const GstStructure* feed = gst_value_get_structure(gst_value_array_get_value(feeds, i));
      guint found = 0;
      gst_structure_get_uint(feed, "ssrc", &found);
      const GValue* value = gst_structure_get_value(feed, field);
      if (found != ssrc || value == nullptr) continue;
      if (G_VALUE_HOLDS_STRING(value)) return g_value_get_string(value);
      const GCharPtr text(gst_value_serialize(value));
      return text.get();
    }
    return {};
  }

 private:
  GstElementPtr pipeline_;
  GstElementPtr cc_;
  GstElementPtr out_;
  std::map<std::string, std::atomic<int>> counts_;
};

std::string camera_and_radar() {
  return source("camera", "H264", 96, 1) + "f. " + source("radar", "SMPTE336M", 98, 2) + "f.";
}

TEST(Feeds, RadarOvertakesAVideoFrame) {
  Funnel funnel(camera_and_radar());
  PacketSpec video;
  video.ssrc = 1;
  video.twcc_id = 1;
  for (std::uint16_t i = 0; i < 60; ++i) {
    video.sequence_number = i;
    video.nal = 0x65;
    video.marker = i == 59;
    funnel.push("camera", video);
  }
  ASSERT_TRUE(funnel.pull());
  PacketSpec radar;
  radar.ssrc = 2;
  radar.payload_type = 98;
  radar.marker = true;
  funnel.push("radar", radar);
  // Most of the frame waits for the first report; the radar doesn't.
  bool radar_came = false;
  for (int i = 0; i < 30 && !radar_came; ++i) {
    const GstSamplePtr sample = funnel.pull();
    ASSERT_TRUE(sample);
    radar_came = ssrc_of(gst_sample_get_buffer(sample.get())) == 2;
  }
  EXPECT_TRUE(radar_came);
  EXPECT_EQ(funnel.feed_field(2, "kind"), "radar");
  EXPECT_EQ(funnel.feed_field(2, "name"), "radar_0");
  EXPECT_EQ(funnel.feed_field(1, "name"), "video_0");
}

TEST(Feeds, EachStreamKeepsItsOrder) {
  Funnel funnel(source("a", "H264", 96, 1) + "f. " + source("b", "H264", 97, 2) + "f.");
  g_object_set(funnel.cc(), "start-bitrate", 8000000, nullptr);
  for (std::uint16_t i = 0; i < 50; ++i) {
    for (const char* name : {"a", "b"}) {
      PacketSpec spec;
      spec.ssrc = name[0] == 'a' ? 1 : 2;
      spec.payload_type = name[0] == 'a' ? 96 : 97;
      spec.sequence_number = i;
      spec.payload_size = 200;
      spec.nal = i < 5 ? 0x65 : 0x41;
      spec.marker = i % 5 == 4;
      funnel.push(name, spec);
    }
  }
  std::map<std::uint32_t, std::uint16_t> next;
  for (int i = 0; i < 100; ++i) {
    const GstSamplePtr sample = funnel.pull();
    ASSERT_TRUE(sample) << i;
    GstBuffer* buffer = gst_sample_get_buffer(sample.get());
    EXPECT_EQ(sequence_number_of(buffer), next[ssrc_of(buffer)]++);
  }
}

TEST(Feeds, AsksOnlyTheEncoderWhoseFramesWereDropped) {
  Funnel funnel(source("front", "H264", 96, 1) + "f. " + source("rear", "H264", 97, 2) + "f.");
  std::atomic<int>* front = funnel.count_key_requests("front");
  std::atomic<int>* rear = funnel.count_key_requests("rear");
  PacketSpec small;
  small.ssrc = 2;
  small.payload_type = 97;
  small.payload_size = 50;
  small.marker = true;
  funnel.push("rear", small);
  // Without a report only a few of these leave; the others wait far longer than a picture may.
  for (std::uint16_t i = 0; i < 160; ++i) {
    PacketSpec spec;
    spec.ssrc = 1;
    spec.twcc_id = 1;
    spec.sequence_number = i;
    spec.marker = i % 4 == 3;
    funnel.push("front", spec);
  }
  const gint64 deadline = g_get_monotonic_time() + 5 * G_USEC_PER_SEC;
  while (*front == 0 && g_get_monotonic_time() < deadline) funnel.pull(10 * GST_MSECOND);
  EXPECT_GT(*front, 0);
  EXPECT_EQ(*rear, 0);
  EXPECT_NE(funnel.feed_field(1, "units-dropped"), "0");
  EXPECT_NE(funnel.feed_field(1, "keyframes-requested"), "0");
  EXPECT_EQ(funnel.feed_field(2, "keyframes-requested"), "0");
}

GstElement* bin_of(const std::string& description) {
  GError* error = nullptr;
  GstElement* bin = gst_parse_bin_from_description(description.c_str(), TRUE, &error);
  EXPECT_EQ(error, nullptr) << error->message;
  return bin;
}

TEST(Feeds, FindsEncodersThroughBinsQueuesAndCapsfilters) {
  Funnel funnel(source("radar", "X-GST", 98, 2) + "f.");
  // A camera in a bin, its payloader in a bin inside of that.
  GstElement* camera = bin_of(
      "videotestsrc is-live=true ! video/x-raw,width=160,height=120 ! x264enc tune=zerolatency ! "
      "h264parse name=parse");
  GstElement* payloader = bin_of(
      "queue ! rtph264pay pt=96 ssrc=1 mtu=1200 ! identity ! capsfilter "
      "name=out caps=\"application/x-rtp," +
      std::string(kExtmap) + "\"");
  GstElement* outer = gst_bin_new("outer");
  gst_bin_add_many(GST_BIN(outer), camera, payloader, nullptr);
  ASSERT_TRUE(gst_element_link(camera, payloader));
  const GstPadPtr inner(gst_element_get_static_pad(payloader, "src"));
  gst_element_add_pad(outer, gst_ghost_pad_new("src", inner.get()));
  const GstElementPtr f = funnel.element("f");
  const GstElementPtr pipeline(GST_ELEMENT(gst_object_get_parent(GST_OBJECT(f.get()))));
  gst_bin_add(GST_BIN(pipeline.get()), outer);
  ASSERT_TRUE(gst_element_link(outer, f.get()));
  gst_element_sync_state_with_parent(outer);
  PacketSpec radar;
  radar.ssrc = 2;
  radar.payload_type = 98;
  radar.marker = true;
  funnel.push("radar", radar);
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(funnel.pull());
  EXPECT_EQ(funnel.feed_field(1, "encoder"), "x264enc");
  EXPECT_EQ(funnel.feed_field(1, "kind"), "camera");
  EXPECT_EQ(funnel.feed_field(2, "kind"), "radar");
  EXPECT_EQ(funnel.feed_field(2, "encoder"), "");
}

TEST(Feeds, AsksByItsSsrcWhereTheBranchIsNotKnown) {
  Funnel funnel(source("a", "H264", 96, 1) + "f.");
  // A second stream behind the same source, which its caps don't tell of.
  std::atomic<int> asked = 0;
  const GstPadPtr sink(gst_element_get_static_pad(funnel.cc(), "sink"));
  gst_pad_add_probe(
      sink.get(), GST_PAD_PROBE_TYPE_EVENT_UPSTREAM,
      [](GstPad*, GstPadProbeInfo* info, gpointer data) {
        GstEvent* event = GST_PAD_PROBE_INFO_EVENT(info);
        guint ssrc = 0;
        if (gst_video_event_is_force_key_unit(event) &&
            gst_structure_get_uint(gst_event_get_structure(event), "ssrc", &ssrc) && ssrc == 77) {
          ++*static_cast<std::atomic<int>*>(data);
        }
        return GST_PAD_PROBE_OK;
      },
      &asked, nullptr);
  for (std::uint16_t i = 0; i < 160; ++i) {
    PacketSpec spec;
    spec.ssrc = 77;
    spec.twcc_id = 1;
    spec.payload_type = 120;
    spec.sequence_number = i;
    spec.marker = i % 4 == 3;
    funnel.push("a", spec);
  }
  const gint64 deadline = g_get_monotonic_time() + 5 * G_USEC_PER_SEC;
  while (asked == 0 && g_get_monotonic_time() < deadline) funnel.pull(10 * GST_MSECOND);
  EXPECT_GT(asked, 0);
}

TEST(Feeds, TellsOfAnEncoderThatIgnoresItsTarget) {
  Funnel funnel(
      "videotestsrc is-live=true pattern=snow ! video/x-raw,width=320,height=180,framerate=30/1 ! "
      "x264enc name=enc pass=quant quantizer=10 tune=zerolatency speed-preset=ultrafast ! "
      "rtph264pay pt=96 ssrc=1 mtu=1200 ! f.");
  g_object_set(funnel.cc(), "max-bitrate", 200000, "start-bitrate", 200000, nullptr);
  const GstElementPtr pipeline(GST_ELEMENT(gst_object_get_parent(GST_OBJECT(funnel.cc()))));
  const GstObjectPtr<GstBus> bus(gst_element_get_bus(pipeline.get()));
  const GstMessagePtr message(
      gst_bus_timed_pop_filtered(bus.get(), 15 * GST_SECOND, GST_MESSAGE_ELEMENT));
  ASSERT_TRUE(message);
  const GstStructure* told = gst_message_get_structure(message.get());
  EXPECT_STREQ(gst_structure_get_name(told), "rtpbbrcc-encoder-ignores-target");
  EXPECT_STREQ(gst_structure_get_string(told, "encoder"), "x264enc");
  EXPECT_STREQ(gst_structure_get_string(told, "feed"), "video_0");
  EXPECT_EQ(funnel.feed_field(1, "encoder-ignores-target"), "true");
}

// A receiver behind a path that swallows IP packets above 1000 bytes reports what came.
TEST(Feeds, PayloadersCutSmallerPacketsWhereLargeOnesVanish) {
  Funnel funnel(
      "videotestsrc is-live=true pattern=snow ! video/x-raw,width=320,height=240,framerate=30/1 ! "
      "x264enc name=encoder tune=zerolatency bitrate=2000 ! rtph264pay name=pay pt=96 ssrc=1 "
      "mtu=1120 ! application/x-rtp," +
      std::string(kExtmap) + " ! f.");
  const auto* key_requests = funnel.count_key_requests("encoder");
  const GstElementPtr payloader = funnel.element("pay");
  guint mtu = 1120;
  gsize largest_after = 0;
  const gint64 deadline = g_get_monotonic_time() + 10 * G_USEC_PER_SEC;
  int after = 0;
  for (guint number = 0; after < 100 && g_get_monotonic_time() < deadline; ++number) {
    const GstSamplePtr sample = funnel.pull();
    ASSERT_TRUE(sample);
    const gsize size = gst_buffer_get_size(gst_sample_get_buffer(sample.get())) + 38;
    const GstEventPtr report =
        make_report({{number, GST_CLOCK_TIME_NONE, gst_util_get_timestamp(), size > 1000}});
    gst_element_send_event(funnel.cc(), gst_event_ref(report.get()));
    g_object_get(payloader.get(), "mtu", &mtu, nullptr);
    // What was cut before that is still to come.
    if (mtu < 1120 && ++after > 50) largest_after = std::max(largest_after, size);
  }
  EXPECT_EQ(mtu, 940u);
  EXPECT_GE(after, 100);
  EXPECT_LE(largest_after, 1000u);
  EXPECT_GE(*key_requests, 1);
  EXPECT_EQ(funnel.number("packet-size-bound-bytes"), 1000u);
}

TEST(Feeds, AdjustEncodersSwitchesWhilePlaying) {
  Funnel funnel(
      "videotestsrc is-live=true ! video/x-raw,width=160,height=120,framerate=30/1 ! "
      "x264enc name=enc bitrate=777 tune=zerolatency ! rtph264pay pt=96 ssrc=1 mtu=1200 ! f.");
  const auto bitrate = [&] {
    guint value = 0;
    g_object_get(funnel.element("enc").get(), "bitrate", &value, nullptr);
    return value;
  };
  const auto wait_for = [&](auto condition) {
    const gint64 deadline = g_get_monotonic_time() + 5 * G_USEC_PER_SEC;
    while (!condition() && g_get_monotonic_time() < deadline) funnel.pull(20 * GST_MSECOND);
    return condition();
  };
  // About the start's 1 Mbit/s less headers.
  ASSERT_TRUE(wait_for([&] { return bitrate() > 780 && bitrate() < 1000; })) << bitrate();
  // Of these, headers are taken off once: the estimate is about the whole megabit.
  guint estimate = 0;
  EXPECT_TRUE(wait_for([&] {
    g_object_get(funnel.cc(), "estimated-bitrate", &estimate, nullptr);
    return estimate > 930000 && estimate < 1030000;
  })) << estimate;
  g_object_set(funnel.cc(), "adjust-encoders", FALSE, nullptr);
  funnel.pull(50 * GST_MSECOND);
  g_object_set(funnel.element("enc").get(), "bitrate", 555, nullptr);
  g_object_set(funnel.cc(), "start-bitrate", 2000000, nullptr);
  for (int i = 0; i < 15; ++i) funnel.pull(20 * GST_MSECOND);
  EXPECT_EQ(bitrate(), 555u);
  g_object_set(funnel.cc(), "adjust-encoders", TRUE, nullptr);
  EXPECT_TRUE(wait_for([&] { return bitrate() > 1200; })) << bitrate();
}

TEST(Feeds, ARetransmissionBelongsToItsCamera) {
  Funnel funnel(source("a", "H264", 96, 1) + "f. " + source("b", "H264", 100, 2) + "f.");
  // rtprtxsend stands between funnel and element in webrtcbin.
  const GstElementPtr pipeline(GST_ELEMENT(gst_object_get_parent(GST_OBJECT(funnel.cc()))));
  const GstElementPtr f = funnel.element("f");
  gst_element_set_state(pipeline.get(), GST_STATE_READY);
  gst_element_unlink(f.get(), funnel.cc());
  GstElement* rtx = gst_element_factory_make("rtprtxsend", nullptr);
  const GstStructurePtr map(gst_structure_new("application/x-rtp-pt-map", "96", G_TYPE_UINT, 97,
                                              "100", G_TYPE_UINT, 101, nullptr));
  g_object_set(rtx, "payload-type-map", map.get(), nullptr);
  gst_bin_add(GST_BIN(pipeline.get()), rtx);
  ASSERT_TRUE(gst_element_link_many(f.get(), rtx, funnel.cc(), nullptr));
  gst_element_set_state(pipeline.get(), GST_STATE_PLAYING);
  for (std::uint16_t i = 0; i < 4; ++i) {
    for (const int camera : {1, 2}) {
      PacketSpec spec;
      spec.ssrc = static_cast<std::uint32_t>(camera);
      spec.payload_type = camera == 1 ? 96 : 100;
      spec.sequence_number = i;
      spec.nal = 0x65;
      spec.payload_size = 100;
      spec.marker = true;
      funnel.push(camera == 1 ? "a" : "b", spec);
    }
  }
  for (int i = 0; i < 8; ++i) ASSERT_TRUE(funnel.pull()) << i;
  const GstPadPtr src(gst_element_get_static_pad(funnel.cc(), "src"));
  const GstPadPtr sink(gst_element_get_static_pad(funnel.element("out").get(), "sink"));
  gst_pad_push_event(sink.get(), gst_event_new_custom(
                                     GST_EVENT_CUSTOM_UPSTREAM,
                                     gst_structure_new("GstRTPRetransmissionRequest", "seqnum",
                                                       G_TYPE_UINT, 2, "ssrc", G_TYPE_UINT, 2,
                                                       "payload-type", G_TYPE_UINT, 100, nullptr)));
  const GstSamplePtr sample = funnel.pull();
  ASSERT_TRUE(sample) << "the request reached rtprtxsend and its answer came through";
  EXPECT_NE(ssrc_of(gst_sample_get_buffer(sample.get())), 2u);
  EXPECT_EQ(funnel.feed_field(1, "packets-sent"), "4");
  EXPECT_EQ(funnel.feed_field(2, "packets-sent"), "5");
  EXPECT_EQ(funnel.feed_field(2, "units-sent"), "4");
}

TEST(Feeds, ManySegmentsOfTheFunnelDoNotGoDownstream) {
  Funnel funnel(camera_and_radar());
  std::atomic<int> segments = 0;
  const GstPadPtr src(gst_element_get_static_pad(funnel.cc(), "src"));
  gst_pad_add_probe(
      src.get(), GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
      [](GstPad*, GstPadProbeInfo* info, gpointer data) {
        if (GST_EVENT_TYPE(GST_PAD_PROBE_INFO_EVENT(info)) == GST_EVENT_SEGMENT) {
          ++*static_cast<std::atomic<int>*>(data);
        }
        return GST_PAD_PROBE_OK;
      },
      &segments, nullptr);
  for (std::uint16_t i = 0; i < 10; ++i) {
    PacketSpec spec;
    spec.payload_size = 100;
    spec.sequence_number = i;
    spec.marker = true;
    spec.ssrc = 1;
    spec.nal = 0x65;
    funnel.push("camera", spec);
    spec.ssrc = 2;
    spec.payload_type = 98;
    funnel.push("radar", spec);
    ASSERT_TRUE(funnel.pull());
    ASSERT_TRUE(funnel.pull());
  }
  EXPECT_EQ(segments, 1);
}

}  // namespace
}  // namespace farwheel::test
