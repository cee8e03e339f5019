#include "webrtc/sdp_edits.h"

#include <gtest/gtest.h>

#include <random>

namespace farwheel {
namespace {

std::string session(const std::string& bundle) {
  return "v=0\r\no=- 1 0 IN IP4 0.0.0.0\r\ns=-\r\nt=0 0\r\na=ice-options:trickle\r\n"
         "a=group:BUNDLE " +
         bundle + "\r\n";
}

std::string transport(const std::string& mid) {
  return "c=IN IP4 0.0.0.0\r\na=mid:" + mid +
         "\r\na=ice-ufrag:abcd\r\na=ice-pwd:0123456789abcdef01234567\r\na=setup:actpass\r\n"
         "a=fingerprint:sha-256 AA:BB\r\na=rtcp-mux\r\n";
}

std::string camera(const std::string& mid, int payload, const std::string& msid) {
  const std::string pt = std::to_string(payload);
  return "m=video 9 UDP/TLS/RTP/SAVPF " + pt + "\r\n" + transport(mid) +
         "a=sendonly\r\na=rtpmap:" + pt + " H264/90000\r\na=fmtp:" + pt +
         " packetization-mode=1\r\na=extmap:1 " + kTwccUri + "\r\na=extmap:2 " + kNtp64Uri +
         "\r\na=extmap:3 urn:unknown\r\n" + (msid.empty() ? "" : "a=msid:" + msid + " track\r\n");
}

std::string radar(const std::string& mid, int payload, const std::string& msid) {
  const std::string pt = std::to_string(payload);
  return "m=video 9 UDP/TLS/RTP/SAVPF " + pt + "\r\n" + transport(mid) +
         "a=sendonly\r\na=rtpmap:" + pt + " SMPTE336M/90000\r\na=extmap:5/sendonly " + kNtp64Uri +
         "\r\na=msid:" + msid + " t\r\n";
}

std::string channel(const std::string& mid) {
  return "m=application 9 UDP/DTLS/SCTP webrtc-datachannel\r\n" + transport(mid) +
         "a=sctp-port:5000\r\n";
}

std::string good_offer() {
  return session("a b c") + camera("a", 96, "video_0") + radar("b", 98, "radar_0") + channel("c");
}

TEST(Offer, ReadsCamerasRadarAndChannel) {
  const OfferResult offer = read_offer(good_offer());
  ASSERT_EQ(offer.error, "");
  EXPECT_TRUE(offer.has_data_channel);
  ASSERT_EQ(offer.feeds.size(), 2u);
  EXPECT_EQ(offer.feeds[0].name, "video_0");
  EXPECT_EQ(offer.feeds[0].kind, FeedKind::kCamera);
  EXPECT_EQ(offer.feeds[0].ntp64_id, 2u);
  EXPECT_EQ(offer.feeds[1].name, "radar_0");
  EXPECT_EQ(offer.feeds[1].mline, 1u);
  EXPECT_EQ(offer.feeds[1].ntp64_id, 5u);
  const GstStructure* caps = gst_caps_get_structure(offer.feeds[0].codec_caps.get(), 0);
  EXPECT_STREQ(gst_structure_get_name(caps), "application/x-rtp");
  EXPECT_STREQ(gst_structure_get_string(caps, "extmap-1"), kTwccUri);
  EXPECT_STREQ(gst_structure_get_string(caps, "encoding-name"), "H264");
  EXPECT_FALSE(gst_structure_has_field(caps, "extmap-3"));
  int payload = 0;
  EXPECT_TRUE(gst_structure_get_int(caps, "payload", &payload));
  EXPECT_EQ(payload, 96);
}

TEST(Offer, NamesByOrderWhereTheSenderHasNoName) {
  const OfferResult offer =
      read_offer(session("a b") + camera("a", 96, "") + camera("b", 97, "video_07"));
  ASSERT_EQ(offer.error, "");
  EXPECT_EQ(offer.feeds[0].name, "video_0");
  EXPECT_EQ(offer.feeds[1].name, "video_1");
}

TEST(Offer, KeepsTheSendersNumbers) {
  const OfferResult offer =
      read_offer(session("a b") + camera("a", 96, "video_3") + camera("b", 97, "video_1"));
  ASSERT_EQ(offer.error, "");
  EXPECT_EQ(offer.feeds[0].name, "video_3");
  EXPECT_EQ(offer.feeds[1].name, "video_1");
}

TEST(Offer, RefusesWhatWebrtcbinMustNotSee) {
  const std::string application_rtp =
      "m=application 9 UDP/TLS/RTP/SAVPF 98\r\n" + transport("a") + "a=rtpmap:98 X-GST/90000\r\n";
  std::string no_ice = good_offer();
  no_ice.erase(no_ice.find("a=ice-ufrag"), no_ice.find("a=ice-pwd") - no_ice.find("a=ice-ufrag"));
  std::string many = session("a") + camera("a", 96, "video_0");
  for (int i = 0; i < 30; ++i) many += camera("a", 96, "video_0");
  for (const std::string& bad :
       {std::string(), std::string("garbage"), std::string("v=0\r\n"), session("a"),
        session("a") + application_rtp, session("a") + camera("b", 96, "video_0"),
        session("a b") + camera("a", 96, "video_0") + camera("b", 97, "video_0"),
        session("a b c") + camera("a", 96, "video_0") + channel("b") + channel("c"),
        session("a") + channel("a"), no_ice, many, std::string(70000, 'a'),
        "v=0\r\n" + std::string(3, '\0')}) {
    EXPECT_NE(read_offer(bad).error, "") << bad.substr(0, 300);
  }
  std::string receiving = good_offer();
  receiving.replace(receiving.find("a=sendonly"), 10, "a=recvonly");
  EXPECT_NE(read_offer(receiving).error, "");
  std::string audio = good_offer();
  audio.replace(audio.find("m=video"), 7, "m=audio");
  EXPECT_NE(read_offer(audio).error, "");
  std::string other_codec = good_offer();
  other_codec.replace(other_codec.find("H264"), 4, "H265");
  EXPECT_NE(read_offer(other_codec).error, "");
}

TEST(Offer, MangledOffersNeverHurt) {
  const std::string good = good_offer();
  std::mt19937 random(5);
  for (int i = 0; i < 3000; ++i) {
    std::string bad = good;
    for (auto n = 1 + random() % 6; n > 0; --n) {
      bad[random() % bad.size()] = static_cast<char>(random());
    }
    if (random() % 3 == 0) bad.erase(random() % bad.size(), random() % 80);
    (void)read_offer(bad);
    std::string error;
    (void)read_answer(bad, 3, &error);
  }
}

TEST(Answer, NeedsEverySectionAccepted) {
  std::string error;
  EXPECT_TRUE(read_answer(good_offer(), 3, &error)) << error;
  EXPECT_FALSE(read_answer(good_offer(), 2, &error));
  std::string refused = good_offer();
  refused.replace(refused.rfind("m=video 9"), 9, "m=video 0");
  EXPECT_FALSE(read_answer(refused, 3, &error));
  EXPECT_NE(error.find("section 1"), std::string::npos) << error;
  EXPECT_FALSE(read_answer("v=0", 3, &error));
}

TEST(SdpEdits, ToolLineStandsOnce) {
  OfferResult offer = read_offer(good_offer());
  gst_sdp_message_add_attribute(offer.sdp.get(), "tool", "another");
  set_tool(offer.sdp.get());
  set_tool(offer.sdp.get());
  const std::string text = sdp_text(offer.sdp.get());
  EXPECT_NE(text.find("a=tool:farwheel "), std::string::npos);
  EXPECT_EQ(text.find("a=tool:"), text.rfind("a=tool:"));
  EXPECT_LT(text.find("a=tool:"), text.find("m="));
}

TEST(SdpEdits, ProfileGoesToItsPayloadOnly) {
  OfferResult offer =
      read_offer(session("a b") + camera("a", 96, "video_0") + camera("b", 98, "video_1"));
  set_profile(offer.sdp.get(), 98, "64001f");
  set_profile(offer.sdp.get(), 98, "42e01f");
  const std::string text = sdp_text(offer.sdp.get());
  EXPECT_NE(text.find("a=fmtp:96 packetization-mode=1\r\n"), std::string::npos) << text;
  EXPECT_NE(text.find("a=fmtp:98 packetization-mode=1;profile-level-id=64001f;"
                      "level-asymmetry-allowed=1\r\n"),
            std::string::npos)
      << text;
}

}  // namespace
}  // namespace farwheel

int main(int argc, char** argv) {
  gst_init(&argc, &argv);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
