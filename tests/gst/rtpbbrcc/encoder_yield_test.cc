// By which factor an encoder is set off its target, in virtual time: an encoder makes a share of
// what it is set to, a frame at a time.
#include "rtpbbrcc/encoder_yield.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace farwheel {
namespace {

constexpr double kFrame = 1 / 30.0;

struct Encoder {
  // Both in Mbit/s over seconds.
  std::function<double(double)> target = [](double) { return 4.0; };
  std::function<double(double, double)> makes = [](double, double set) { return set; };

  EncoderYield yield;
  RateWindow produced;
  double set_a_frame_ago = 4;
  double most_gain = 0;
  double least_gain = 9;

  // What it made over the last two seconds, by what it was to make.
  double run(double seconds) {
    double made = 0;
    double asked = 0;
    double next_frame = 0;
    for (double t = 0; t < seconds; t += 0.01) {
      const Timestamp now = Timestamp::from_nanos(static_cast<std::int64_t>(t * 1e9));
      if (t >= next_frame) {
        next_frame += kFrame;
        const double rate = makes(t, set_a_frame_ago);
        produced.add(now, static_cast<std::int64_t>(rate * 125000 * kFrame));
        if (t > seconds - 2) {
          made += rate;
          asked += target(t);
        }
        set_a_frame_ago = target(t) * yield.gain();
      }
      yield.on_tick(now, DataRate::from_mbps(target(t)), produced.rate(now));
      most_gain = std::max(most_gain, yield.gain());
      least_gain = std::min(least_gain, yield.gain());
    }
    return made / asked;
  }
};

TEST(EncoderYield, LeavesAnExactEncoderAlone) {
  Encoder encoder;
  EXPECT_NEAR(encoder.run(20), 0.98, 0.02);
  EXPECT_LE(encoder.most_gain, 1.01);
  EXPECT_GT(encoder.least_gain, 0.95);
}

TEST(EncoderYield, AStretchedEncoderMakesItsTarget) {
  for (const double share : {0.82, 0.9, 1.2, 1.8}) {
    Encoder encoder;
    encoder.makes = [&](double, double set) { return share * set; };
    EXPECT_NEAR(encoder.run(20), 0.97, 0.03) << share;
    EXPECT_NEAR(encoder.yield.gain(), 0.97 / share, 0.03 / share) << share;
  }
}

TEST(EncoderYield, DoesNotSwing) {
  Encoder encoder;
  encoder.makes = [](double, double set) { return 0.85 * set; };
  encoder.run(30);
  EXPECT_LT(encoder.most_gain, 1 / 0.85 * 1.03);
}

TEST(EncoderYield, TakesNoChangeOfTheTargetForAFault) {
  Encoder encoder;
  encoder.target = [](double t) { return std::fmod(t, 4) < 2 ? 4.0 : 1.0; };
  encoder.run(40);
  EXPECT_GT(encoder.least_gain, 0.88);
  EXPECT_LT(encoder.most_gain, 1.07);
}

TEST(EncoderYield, ASceneWithNothingToShowIsNotPushed) {
  Encoder encoder;
  encoder.makes = [](double, double set) { return std::min(set, 0.8); };
  encoder.run(20);
  EXPECT_LE(encoder.most_gain, 1);
  EXPECT_DOUBLE_EQ(encoder.yield.gain(), 1);
}

TEST(EncoderYield, ABoundedFactorWhateverTheEncoderDoes) {
  Encoder silly;
  silly.makes = [](double, double) { return 40.0; };
  silly.run(20);
  EXPECT_DOUBLE_EQ(silly.yield.gain(), EncoderYield::kLeastGain);
  Encoder weak;
  weak.makes = [](double, double set) { return 0.65 * set; };
  weak.run(20);
  EXPECT_DOUBLE_EQ(weak.yield.gain(), EncoderYield::kMostGain);
}

// After a scene of little that was still near its target, a difficult one.
TEST(EncoderYield, ComesBackFromAGainThatIsTooHigh) {
  Encoder encoder;
  encoder.makes = [](double t, double set) { return t < 10 ? std::min(set, 3.0) : set; };
  EXPECT_NEAR(encoder.run(14), 1, 0.06);
  EXPECT_GT(encoder.most_gain, 1.2);
}

TEST(EncoderYield, AGapStartsTheMeasuringAnew) {
  EncoderYield yield;
  for (int i = 0; i < 1000; ++i) {
    yield.on_tick(Timestamp::from_nanos(i * 600'000'000LL), DataRate::from_mbps(4),
                  DataRate::from_mbps(1));
  }
  EXPECT_DOUBLE_EQ(yield.gain(), 1);
}

}  // namespace
}  // namespace farwheel
