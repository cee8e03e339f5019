// The element alone in a harness: packets and events through it, states, flushes, properties.
#include <gst/check/gstharness.h>
#include <gst/video/video.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "rtp_packets.h"

namespace farwheel::test {
namespace {

using HarnessPtr = std::unique_ptr<GstHarness, Deleter<gst_harness_teardown>>;

HarnessPtr make_harness() {
  HarnessPtr harness(gst_harness_new("rtpbbrcc"));
  gst_harness_set_src_caps_str(harness.get(), kRtpCaps);
  return harness;
}

GstFlowReturn push(const HarnessPtr& harness, const PacketSpec& spec) {
  return gst_harness_push(harness.get(), make_packet(spec).release());
}

// A frame of key packets, numbered from `first`.
void push_frame(const HarnessPtr& harness, std::uint16_t first, std::uint16_t packets,
                std::uint8_t twcc_id = 0) {
  for (std::uint16_t i = 0; i < packets; ++i) {
    PacketSpec spec;
    spec.twcc_id = twcc_id;
    spec.sequence_number = static_cast<std::uint16_t>(first + i);
    spec.nal = 0x65;
    spec.marker = i + 1 == packets;
    ASSERT_EQ(push(harness, spec), GST_FLOW_OK);
  }
}

guint64 stat(GstElement* element, const char* field) {
  GstStructure* raw = nullptr;
  g_object_get(element, "stats", &raw, nullptr);
  const GstStructurePtr stats(raw);
  guint64 value = G_MAXUINT64;
  gst_structure_get_uint64(raw, field, &value);
  return value;
}

// The next event of a type downstream; null after 2 s without one.
GstEventPtr pull_event(const HarnessPtr& harness, GstEventType type) {
  const gint64 deadline = g_get_monotonic_time() + 2 * G_USEC_PER_SEC;
  while (g_get_monotonic_time() < deadline) {
    GstEventPtr event(gst_harness_try_pull_event(harness.get()));
    if (!event) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    } else if (GST_EVENT_TYPE(event.get()) == type) {
      return event;
    }
  }
  return nullptr;
}

TEST(RtpBbrCcElement, PassesPacketsInOrderAndCountsThoseWithTheExtension) {
  const HarnessPtr harness = make_harness();
  for (std::uint16_t i = 0; i < 20; ++i) {
    PacketSpec spec;
    spec.sequence_number = i;
    spec.nal = 0x65;
    spec.marker = i % 4 == 3;
    spec.twcc_id = i % 4 == 0 ? 1 : 0;
    ASSERT_EQ(push(harness, spec), GST_FLOW_OK);
  }
  for (std::uint16_t i = 0; i < 20; ++i) {
    const GstBufferPtr out(gst_harness_pull(harness.get()));
    ASSERT_TRUE(out);
    EXPECT_EQ(sequence_number_of(out.get()), i);
  }
  EXPECT_EQ(stat(harness->element, "packets-sent"), 5u);
}

TEST(RtpBbrCcElement, SplitsBufferLists) {
  const HarnessPtr harness = make_harness();
  GstBufferList* list = gst_buffer_list_new();
  for (std::uint16_t i = 0; i < 10; ++i) {
    PacketSpec spec;
    spec.sequence_number = i;
    spec.marker = i == 9;
    gst_buffer_list_add(list, make_packet(spec).release());
  }
  ASSERT_EQ(gst_pad_push_list(harness->srcpad, list), GST_FLOW_OK);
  for (std::uint16_t i = 0; i < 10; ++i) {
    const GstBufferPtr out(gst_harness_pull(harness.get()));
    ASSERT_TRUE(out);
    EXPECT_EQ(sequence_number_of(out.get()), i);
  }
}

TEST(RtpBbrCcElement, ChainDoesNotWaitForAPeerThatBlocks) {
  const HarnessPtr harness = make_harness();
  const GstPadPtr src(gst_element_get_static_pad(harness->element, "src"));
  const gulong probe = gst_pad_add_probe(
      src.get(), GST_PAD_PROBE_TYPE_BLOCK_DOWNSTREAM,
      [](GstPad*, GstPadProbeInfo*, gpointer) { return GST_PAD_PROBE_OK; }, nullptr, nullptr);
  // 20 times what the queue holds at the start's rate: older units make room.
  const gint64 begin = g_get_monotonic_time();
  for (std::uint16_t i = 0; i < 500; ++i) push_frame(harness, static_cast<std::uint16_t>(4 * i), 4);
  EXPECT_LT(g_get_monotonic_time() - begin, 2 * G_USEC_PER_SEC);
  gst_pad_remove_probe(src.get(), probe);
  EXPECT_TRUE(GstBufferPtr(gst_harness_pull(harness.get())));
}

TEST(RtpBbrCcElement, DropsWhatIsNotRtpAndGoesOn) {
  const HarnessPtr harness = make_harness();
  EXPECT_EQ(gst_harness_push(harness.get(), gst_buffer_new()), GST_FLOW_OK);
  EXPECT_EQ(gst_harness_push(harness.get(), gst_buffer_new_allocate(nullptr, 5, nullptr)),
            GST_FLOW_OK);
  GstBuffer* zeros = gst_buffer_new_allocate(nullptr, 400, nullptr);
  gst_buffer_memset(zeros, 0, 0, 400);
  EXPECT_EQ(gst_harness_push(harness.get(), zeros), GST_FLOW_OK);
  push_frame(harness, 7, 1);
  const GstBufferPtr out(gst_harness_pull(harness.get()));
  ASSERT_TRUE(out);
  EXPECT_EQ(sequence_number_of(out.get()), 7);
}

TEST(RtpBbrCcElement, EventsComeAfterThePacketsBeforeThem) {
  const HarnessPtr harness = make_harness();
  push_frame(harness, 0, 20);
  gst_harness_push_event(harness.get(), gst_event_new_custom(GST_EVENT_CUSTOM_DOWNSTREAM,
                                                             gst_structure_new_empty("mark")));
  ASSERT_TRUE(pull_event(harness, GST_EVENT_CUSTOM_DOWNSTREAM));
  EXPECT_EQ(gst_harness_buffers_received(harness.get()), 20u);
}

TEST(RtpBbrCcElement, NewCapsComeBeforeThePacketsThatNeedThem) {
  const HarnessPtr harness = make_harness();
  push_frame(harness, 0, 4, 1);
  std::string other = kRtpCaps;
  other.replace(other.find("extmap-1"), 8, "extmap-5");
  gst_harness_push_event(harness.get(),
                         gst_event_new_caps(GstCapsPtr(gst_caps_from_string(other.c_str())).get()));
  PacketSpec spec;
  spec.sequence_number = 4;
  spec.nal = 0x65;
  spec.marker = true;
  spec.twcc_id = 5;
  push(harness, spec);
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(GstBufferPtr(gst_harness_pull(harness.get())));
    const GstCapsPtr caps(gst_pad_get_current_caps(harness->sinkpad));
    const bool is_new = gst_structure_has_field(gst_caps_get_structure(caps.get(), 0), "extmap-5");
    // The caps may be a moment ahead of what is pulled, never behind.
    if (i == 4) {
      EXPECT_TRUE(is_new);
    }
  }
  // Its extension has the id of the new caps, so it is counted.
  EXPECT_EQ(stat(harness->element, "packets-sent"), 5u);
}

TEST(RtpBbrCcElement, EosComesLastAndEndsTheStream) {
  const HarnessPtr harness = make_harness();
  push_frame(harness, 0, 15);
  ASSERT_TRUE(gst_harness_push_event(harness.get(), gst_event_new_eos()));
  ASSERT_TRUE(pull_event(harness, GST_EVENT_EOS));
  EXPECT_EQ(gst_harness_buffers_received(harness.get()), 15u);
  EXPECT_EQ(push(harness, PacketSpec{}), GST_FLOW_EOS);
}

TEST(RtpBbrCcElement, EosDoesNotWaitForEverForASlowQueue) {
  const HarnessPtr harness = make_harness();
  push_frame(harness, 0, 200, 1);  // most wait for a report that never comes
  const gint64 begin = g_get_monotonic_time();
  ASSERT_TRUE(gst_harness_push_event(harness.get(), gst_event_new_eos()));
  ASSERT_TRUE(pull_event(harness, GST_EVENT_EOS));
  EXPECT_LT(g_get_monotonic_time() - begin, 2 * G_USEC_PER_SEC);
  EXPECT_LT(gst_harness_buffers_received(harness.get()), 200u);
}

TEST(RtpBbrCcElement, AFlushEmptiesTheQueueAndTheStreamGoesOn) {
  const HarnessPtr harness = make_harness();
  push_frame(harness, 0, 200, 1);
  ASSERT_TRUE(gst_harness_push_event(harness.get(), gst_event_new_flush_start()));
  EXPECT_EQ(push(harness, PacketSpec{}), GST_FLOW_FLUSHING);
  ASSERT_TRUE(gst_harness_push_event(harness.get(), gst_event_new_flush_stop(TRUE)));
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  ASSERT_TRUE(gst_harness_push_event(harness.get(), gst_event_new_segment(&segment)));
  while (GstBufferPtr(gst_harness_try_pull(harness.get()))) {
  }
  push_frame(harness, 1000, 5);
  for (std::uint16_t i = 0; i < 5; ++i) {
    const GstBufferPtr out(gst_harness_pull(harness.get()));
    ASSERT_TRUE(out);
    EXPECT_EQ(sequence_number_of(out.get()), 1000 + i);
  }
}

TEST(RtpBbrCcElement, StreamsAgainAfterEosAndFlush) {
  const HarnessPtr harness = make_harness();
  gst_harness_push_event(harness.get(), gst_event_new_eos());
  ASSERT_TRUE(pull_event(harness, GST_EVENT_EOS));
  gst_harness_push_event(harness.get(), gst_event_new_flush_start());
  gst_harness_push_event(harness.get(), gst_event_new_flush_stop(TRUE));
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  gst_harness_push_event(harness.get(), gst_event_new_segment(&segment));
  push_frame(harness, 0, 3);
  EXPECT_TRUE(GstBufferPtr(gst_harness_pull(harness.get())));
}

TEST(RtpBbrCcElement, AFaultDownstreamReachesUpstream) {
  const HarnessPtr harness = make_harness();
  const GstPadPtr src(gst_element_get_static_pad(harness->element, "src"));
  const GstPadPtr peer(gst_pad_get_peer(src.get()));
  gst_pad_unlink(src.get(), peer.get());
  const gint64 deadline = g_get_monotonic_time() + 2 * G_USEC_PER_SEC;
  GstFlowReturn flow = GST_FLOW_OK;
  while (flow == GST_FLOW_OK && g_get_monotonic_time() < deadline) {
    flow = push(harness, PacketSpec{});
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(flow, GST_FLOW_NOT_LINKED);
  // Linked again, it goes on: linking sends a reconfigure event upstream.
  ASSERT_EQ(gst_pad_link(src.get(), peer.get()), GST_PAD_LINK_OK);
  push_frame(harness, 50, 1);
  EXPECT_TRUE(GstBufferPtr(gst_harness_pull(harness.get())));
}

TEST(RtpBbrCcElement, ReportsCountAndTheEventGoesOnUpstream) {
  const HarnessPtr harness = make_harness();
  push_frame(harness, 0, 4, 1);
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(GstBufferPtr(gst_harness_pull(harness.get())));
  const guint64 now = static_cast<guint64>(g_get_monotonic_time()) * 1000;
  // Without rtpsession's own times, as when its record is gone.
  ASSERT_TRUE(gst_harness_push_upstream_event(
      harness.get(), make_report({{0, GST_CLOCK_TIME_NONE, now},
                                  {1, GST_CLOCK_TIME_NONE, now},
                                  {2, GST_CLOCK_TIME_NONE, GST_CLOCK_TIME_NONE, true}})
                         .release()));
  EXPECT_EQ(stat(harness->element, "reports"), 1u);
  EXPECT_EQ(stat(harness->element, "packets-delivered"), 2u);
  EXPECT_EQ(stat(harness->element, "packets-lost"), 1u);
  bool forwarded = false;
  while (GstEvent* event = gst_harness_try_pull_upstream_event(harness.get())) {
    forwarded = forwarded || gst_event_has_name(event, "RTPTWCCPackets");
    gst_event_unref(event);
  }
  EXPECT_TRUE(forwarded);
}

TEST(RtpBbrCcElement, HostileReportsAreCounted) {
  const HarnessPtr harness = make_harness();
  push_frame(harness, 0, 1, 1);
  ASSERT_TRUE(GstBufferPtr(gst_harness_pull(harness.get())));
  for (int i = 0; i < 100; ++i) {
    gst_harness_push_upstream_event(
        harness.get(),
        gst_event_new_custom(GST_EVENT_CUSTOM_UPSTREAM, gst_structure_new_empty("RTPTWCCPackets")));
    gst_harness_push_upstream_event(
        harness.get(),
        make_report({{static_cast<guint>(i) * 600, G_MAXINT64, G_MAXINT64}}).release());
  }
  EXPECT_EQ(stat(harness->element, "odd-reports"), 100u);
  push_frame(harness, 1, 1);
  EXPECT_TRUE(GstBufferPtr(gst_harness_pull(harness.get())));
}

TEST(RtpBbrCcElement, OtherUpstreamEventsPass) {
  const HarnessPtr harness = make_harness();
  gst_harness_push_upstream_event(
      harness.get(), gst_video_event_new_upstream_force_key_unit(GST_CLOCK_TIME_NONE, TRUE, 0));
  gst_harness_push_upstream_event(
      harness.get(),
      gst_event_new_custom(GST_EVENT_CUSTOM_UPSTREAM,
                           gst_structure_new("GstRTPRetransmissionRequest", "seqnum", G_TYPE_UINT,
                                             3, "ssrc", G_TYPE_UINT, 1, nullptr)));
  int found = 0;
  while (GstEvent* event = gst_harness_try_pull_upstream_event(harness.get())) {
    if (gst_video_event_is_force_key_unit(event)) ++found;
    if (gst_event_has_name(event, "GstRTPRetransmissionRequest")) ++found;
    gst_event_unref(event);
  }
  EXPECT_EQ(found, 2);
}

TEST(RtpBbrCcElement, AnswersQueries) {
  const HarnessPtr harness = make_harness();
  const auto ask = [&](GstQuery* query) {
    const bool answered = gst_pad_peer_query(harness->srcpad, query) != FALSE;
    gst_query_unref(query);
    return answered;
  };
  EXPECT_FALSE(ask(gst_query_new_allocation(nullptr, FALSE)));
  EXPECT_TRUE(ask(gst_query_new_drain()));
  gst_harness_set_upstream_latency(harness.get(), 30 * GST_MSECOND);
  EXPECT_EQ(gst_harness_query_latency(harness.get()), 30 * GST_MSECOND);
}

TEST(RtpBbrCcElement, PropertiesHaveRangesAndChangeWhilePlaying) {
  const HarnessPtr harness = make_harness();
  push_frame(harness, 0, 3);
  GstElement* element = harness->element;
  g_object_set(element, "min-bitrate", 300000, "max-bitrate", 2000000, "start-bitrate", 700000,
               nullptr);
  gst_util_set_object_arg(G_OBJECT(element), "algorithm", "bbr2");
  gst_util_set_object_arg(G_OBJECT(element), "startup", "classic");
  guint least = 0;
  guint most = 0;
  guint start = 0;
  gint algorithm = 0;
  gint startup = 0;
  g_object_get(element, "min-bitrate", &least, "max-bitrate", &most, "start-bitrate", &start,
               "algorithm", &algorithm, "startup", &startup, nullptr);
  EXPECT_EQ(least, 300000u);
  EXPECT_EQ(most, 2000000u);
  EXPECT_EQ(start, 700000u);
  EXPECT_EQ(algorithm, 2);
  EXPECT_EQ(startup, 1);
  GstStructure* raw = nullptr;
  g_object_get(element, "stats", &raw, nullptr);
  const GstStructurePtr stats(raw);
  EXPECT_STREQ(gst_structure_get_string(raw, "algorithm"), "bbr2");
  EXPECT_STREQ(gst_structure_get_string(raw, "startup"), "classic");
  guint estimate = 0;
  // Reversed bounds are taken the other way round, and the target stays within.
  g_object_set(element, "min-bitrate", 900000, "max-bitrate", 400000, nullptr);
  push_frame(harness, 3, 3);
  g_object_get(element, "estimated-bitrate", &estimate, nullptr);
  EXPECT_GE(estimate, 400000u);
  EXPECT_LE(estimate, 900000u);
}

TEST(RtpBbrCcElement, BadParamsAreRefusedByName) {
  const HarnessPtr harness = make_harness();
  GstElement* element = harness->element;
  GstBus* bus = gst_bus_new();
  gst_element_set_bus(element, bus);
  g_object_set(element, "params", "burst_ms=nonsense", nullptr);
  const GstMessagePtr message(gst_bus_pop_filtered(bus, GST_MESSAGE_WARNING));
  ASSERT_TRUE(message);
  GError* raw_error = nullptr;
  gchar* raw_debug = nullptr;
  gst_message_parse_warning(message.get(), &raw_error, &raw_debug);
  const GErrorPtr error(raw_error);
  const GCharPtr debug(raw_debug);
  EXPECT_NE(std::string(error->message).find("burst_ms"), std::string::npos) << error->message;
  gchar* params = nullptr;
  g_object_get(element, "params", &params, nullptr);
  EXPECT_STREQ(params, "");
  g_free(params);
  gst_element_set_bus(element, nullptr);
  gst_object_unref(bus);
}

TEST(RtpBbrCcElement, StatesInAnyOrderFiftyTimesWithAFullQueue) {
  const GstState states[] = {GST_STATE_PAUSED, GST_STATE_NULL,    GST_STATE_PLAYING,
                             GST_STATE_READY,  GST_STATE_PLAYING, GST_STATE_PAUSED,
                             GST_STATE_READY,  GST_STATE_NULL};
  const HarnessPtr harness = make_harness();
  g_object_set(harness->element, "start-bitrate", 200000, "max-bitrate", 200000, nullptr);
  std::atomic<bool> done = false;
  std::thread streaming([&] {
    std::uint16_t number = 0;
    while (!done) {
      PacketSpec spec;
      spec.sequence_number = number++;
      spec.twcc_id = 1;
      spec.marker = number % 5 == 0;
      spec.nal = 0x65;
      gst_harness_push(harness.get(), make_packet(spec).release());
      gst_harness_push_upstream_event(harness.get(),
                                      make_report({{number, GST_CLOCK_TIME_NONE, 1000}}).release());
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
  });
  const gint64 begin = g_get_monotonic_time();
  for (int i = 0; i < 50; ++i) {
    for (const GstState state : states) {
      EXPECT_EQ(gst_element_set_state(harness->element, state), GST_STATE_CHANGE_SUCCESS);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(i % 5));
  }
  EXPECT_LT(g_get_monotonic_time() - begin, 30 * G_USEC_PER_SEC);
  done = true;
  streaming.join();
}

TEST(RtpBbrCcElement, FlushesFiftyTimesUnderLoad) {
  const HarnessPtr harness = make_harness();
  std::atomic<bool> done = false;
  std::thread streaming([&] {
    std::uint16_t number = 0;
    while (!done) {
      PacketSpec spec;
      spec.sequence_number = number++;
      spec.marker = true;
      spec.nal = 0x65;
      gst_harness_push(harness.get(), make_packet(spec).release());
    }
  });
  for (int i = 0; i < 50; ++i) {
    gst_pad_push_event(harness->srcpad, gst_event_new_flush_start());
    gst_pad_push_event(harness->srcpad, gst_event_new_flush_stop(TRUE));
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  done = true;
  streaming.join();
}

TEST(RtpBbrCcElement, IsFinalisedWithoutEverRunningAndAfterIt) {
  GstElement* element = gst_element_factory_make("rtpbbrcc", nullptr);
  ASSERT_TRUE(element);
  gst_object_ref_sink(element);
  gpointer watched = element;
  g_object_add_weak_pointer(G_OBJECT(element), &watched);
  gst_object_unref(element);
  EXPECT_EQ(watched, nullptr);

  HarnessPtr harness = make_harness();
  push_frame(harness, 0, 50);
  watched = harness->element;
  g_object_add_weak_pointer(G_OBJECT(harness->element), &watched);
  harness.reset();
  EXPECT_EQ(watched, nullptr);
}

TEST(RtpBbrCcElement, ReadsLikeAFilterOfTheNetwork) {
  GstElementFactory* factory = gst_element_factory_find("rtpbbrcc");
  ASSERT_TRUE(factory);
  EXPECT_STREQ(gst_element_factory_get_metadata(factory, GST_ELEMENT_METADATA_KLASS),
               "Network/WebRTC/RTP/Filter");
  gst_object_unref(factory);
  const GstElementPtr element(
      GST_ELEMENT(gst_object_ref_sink(gst_element_factory_make("rtpbbrcc", nullptr))));
  guint count = 0;
  GParamSpec** specs = g_object_class_list_properties(G_OBJECT_GET_CLASS(element.get()), &count);
  int own = 0;
  for (guint i = 0; i < count; ++i) {
    if (specs[i]->owner_type != G_OBJECT_TYPE(element.get())) continue;
    ++own;
    const std::string blurb = g_param_spec_get_blurb(specs[i]);
    EXPECT_FALSE(blurb.empty()) << specs[i]->name;
    if (std::string(specs[i]->name).find("bitrate") != std::string::npos) {
      EXPECT_NE(blurb.find("(bit/s)"), std::string::npos) << specs[i]->name;
    }
    if ((specs[i]->flags & G_PARAM_WRITABLE) != 0) {
      EXPECT_NE(static_cast<guint>(specs[i]->flags) & static_cast<guint>(GST_PARAM_MUTABLE_PLAYING),
                0u)
          << specs[i]->name;
    }
  }
  g_free(specs);
  EXPECT_EQ(own, 11);
}

}  // namespace
}  // namespace farwheel::test
