#include <random>
#include <set>

#include "element_watch.h"
#include "radar/radar_klv.h"

namespace farwheel {
namespace {

using testing::Harnessed;
using testing::sweep_of;

RadarSweep sweep_of_several_packets(std::uint32_t number) {
  RadarSweep sweep;
  sweep.number = number;
  sweep.detections.resize(60 + number * 37 % 300);
  return sweep;
}

// Payloader and depayloader, with packets taken away between.
class RtpPath {
 public:
  RtpPath() : out_("radarklvenc ! rtpklvpay mtu=1200 pt=98"), in_("radarklvdepay ! radarklvdec") {
    gst_harness_set_src_caps_str(out_.harness.get(), kRadarSweepCaps);
    gst_harness_set_src_caps_str(in_.harness.get(),
                                 "application/x-rtp,media=video,clock-rate=90000,"
                                 "encoding-name=SMPTE336M,payload=98");
  }
  std::vector<GstBufferPtr> packets(std::uint32_t number) {
    out_.push(write_radar_sweep(sweep_of_several_packets(number)), number * 77 * GST_MSECOND);
    return out_.pull_all();
  }
  void deliver(GstBufferPtr packet) {
    gst_harness_push(in_.harness.get(), packet.release());
    for (const auto& buffer : in_.pull_all()) {
      const RadarSweep sweep = sweep_of(buffer.get());
      arrived.push_back(sweep.number);
      EXPECT_EQ(sweep.detections.size(), sweep_of_several_packets(sweep.number).detections.size());
    }
  }
  Harnessed& in() { return in_; }
  std::vector<std::uint32_t> arrived;

 private:
  Harnessed out_;
  Harnessed in_;
};

TEST(RadarKlvDepay, AnyLostPacketCostsItsOwnSweepOnly) {
  for (std::size_t lost = 0; lost < 4; ++lost) {
    RtpPath path;
    std::vector<std::uint32_t> wanted;
    for (std::uint32_t number = 0; number < 20; ++number) {
      auto packets = path.packets(number);
      const bool damaged = number % 5 == 2 && lost < packets.size();
      if (!damaged) wanted.push_back(number);
      for (std::size_t i = 0; i < packets.size(); ++i) {
        if (!damaged || i != lost) path.deliver(std::move(packets[i]));
      }
    }
    EXPECT_LT(wanted.size(), 20u);
    EXPECT_EQ(path.arrived, wanted) << "packet " << lost << " of a sweep lost";
  }
}

TEST(RadarKlvDepay, GivesEverySweepWhosePacketsAllArrive) {
  std::mt19937 random(99);
  RtpPath path;
  std::vector<std::uint32_t> wanted;
  for (std::uint32_t number = 0; number < 600; ++number) {
    bool whole = true;
    for (auto& packet : path.packets(number)) {
      if (random() % 5 == 0) {
        whole = false;
      } else {
        path.deliver(std::move(packet));
      }
    }
    if (whole) wanted.push_back(number);
  }
  EXPECT_GT(wanted.size(), 100u);
  EXPECT_LT(wanted.size(), 500u);
  EXPECT_EQ(path.arrived, wanted);
  EXPECT_TRUE(path.in().warnings().empty()) << "the decoder sees whole units only";
}

TEST(RadarKlvDepay, ForgetsAHalfUnitAtAFlush) {
  RtpPath path;
  auto first = path.packets(5);
  ASSERT_GT(first.size(), 1u);
  path.deliver(std::move(first[0]));
  GstHarness* harness = path.in().harness.get();
  gst_harness_push_event(harness, gst_event_new_flush_start());
  gst_harness_push_event(harness, gst_event_new_flush_stop(TRUE));
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  gst_harness_push_event(harness, gst_event_new_segment(&segment));
  for (std::size_t i = 1; i < first.size(); ++i) path.deliver(std::move(first[i]));
  EXPECT_TRUE(path.arrived.empty());
  for (auto& packet : path.packets(6)) path.deliver(std::move(packet));
  EXPECT_EQ(path.arrived, std::vector<std::uint32_t>{6});
}

TEST(RadarKlvDepay, BoundsAUnitWithoutEnd) {
  Harnessed element("radarklvdepay");
  gst_harness_set_src_caps_str(element.harness.get(),
                               "application/x-rtp,media=application,clock-rate=90000,"
                               "encoding-name=SMPTE336M,payload=98");
  std::vector<std::uint8_t> packet(12 + 60000, 0);
  packet[0] = 0x80;
  packet[1] = 98;
  const auto label = kRadarKlvLabel;
  for (unsigned seq = 0; seq < 100; ++seq) {
    packet[2] = static_cast<std::uint8_t>(seq >> 8);
    packet[3] = static_cast<std::uint8_t>(seq);
    if (seq == 0) std::copy(label.begin(), label.end(), packet.begin() + 12);
    if (seq == 1) std::fill_n(packet.begin() + 12, label.size(), std::uint8_t{0});
    ASSERT_EQ(element.push(packet), GST_FLOW_OK);
  }
  packet[1] |= 0x80;
  packet[3] = 100;
  ASSERT_EQ(element.push(packet), GST_FLOW_OK);
  EXPECT_TRUE(element.pull_all().empty());
}

}  // namespace
}  // namespace farwheel
