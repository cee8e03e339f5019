// Whole runs: the same seed gives the same run, hostile options are told, and figures that hold.
#include <gtest/gtest.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "media/media_options.h"
#include "media/media_run.h"

namespace farwheel::lab::media {
namespace {

MediaTexts on_link(const std::string& link) {
  MediaTexts texts;
  texts.link = link;
  return texts;
}

// What is said against these options; empty if nothing.
std::string refusal(const MediaTexts& texts) {
  try {
    read_media_config(texts);
  } catch (const CLI::ParseError& error) {
    return error.what();
  }
  return {};
}

class TextFile {
 public:
  explicit TextFile(const std::string& text)
      : name_(testing::TempDir() + "farwheel-media-" + std::to_string(getpid()) + ".txt") {
    std::ofstream(name_) << text;
  }
  ~TextFile() { std::filesystem::remove(name_); }
  const std::string& name() const { return name_; }

 private:
  std::string name_;
};

TEST(MediaOptions, TellWhatIsWrongWithALink) {
  EXPECT_EQ(refusal(on_link("5:30,1:15,5")), "");
  EXPECT_EQ(refusal(on_link("-5:30")), "--link: '-5' is out of range; possible are 0 to 10000");
  EXPECT_EQ(refusal(on_link("nan")), "--link: 'nan' is no number");
  EXPECT_EQ(refusal(on_link("inf:3")), "--link: 'inf' is no number");
  EXPECT_EQ(refusal(on_link("5:30,,1:3")), "--link: '5:30,,1:3' has an empty value");
  EXPECT_EQ(refusal(on_link("5,1:3")), "--link: '5' has no seconds; write RATE:SECONDS,...");
  EXPECT_EQ(refusal(on_link("5:")), "--link: '' is no number");
  EXPECT_EQ(refusal(on_link("0:30")), "--link: '0:30' never carries anything");
  EXPECT_EQ(refusal(on_link("")), "--link: give either --link RATE:SECONDS,... or --trace FILE");
}

TEST(MediaOptions, TellWhatIsWrongWithATrace) {
  MediaTexts texts;
  texts.trace = "/nowhere/at/all.up";
  EXPECT_EQ(refusal(texts), "--trace: '/nowhere/at/all.up' cannot be read");
  const TextFile garbage("12\n13\nGIF89a\n");
  texts.trace = garbage.name();
  EXPECT_EQ(refusal(texts), "--trace " + garbage.name() + " line 3: 'GIF89a' is no number");
  const TextFile backwards("12\n11\n");
  texts.trace = backwards.name();
  EXPECT_EQ(refusal(texts),
            "--trace " + backwards.name() + " line 2: its time is before the last one's");
  texts.trace = "/";
  EXPECT_NE(refusal(texts), "");
}

TEST(MediaOptions, TellWhatIsWrongWithFeedsAndTheRest) {
  const auto refused = [](auto change) {
    MediaTexts texts = on_link("5:10");
    change(texts);
    return refusal(texts);
  };
  EXPECT_EQ(refused([](MediaTexts& t) { t.cameras = {"30:8-0.15"}; }),
            "--camera: '30:8-0.15' has a maximum below its minimum; write FPS:MIN-MAX[:WEIGHT]");
  EXPECT_EQ(refused([](MediaTexts& t) { t.cameras = {"nan"}; }),
            "--camera FPS: 'nan' is no number");
  EXPECT_EQ(refused([](MediaTexts& t) { t.cameras = {"no-such-file"}; }),
            "--camera: 'no-such-file' cannot be read");
  EXPECT_NE(refused([](MediaTexts& t) { t.radar = "13:0"; }), "");
  EXPECT_NE(refused([](MediaTexts& t) { t.uplink = "harq=0.1x8"; }), "");
  EXPECT_NE(refused([](MediaTexts& t) { t.silence = {"4"}; }), "");
  EXPECT_NE(refused([](MediaTexts& t) { t.silence = {"4@1/3"}; }), "");
  EXPECT_NE(refused([](MediaTexts& t) { t.compete = "reno"; }), "");
  EXPECT_NE(refused([](MediaTexts& t) { t.rtt = "10,20"; }), "");
  EXPECT_NE(refused([](MediaTexts& t) { t.loss = "1.5"; }), "");
  EXPECT_NE(refused([](MediaTexts& t) { t.seed = "1.5"; }), "");
  EXPECT_NE(refused([](MediaTexts& t) { t.weights = {"2=3@1"}; }), "");
  EXPECT_NE(refused([](MediaTexts& t) { t.params = "no_such=1"; }), "");
  EXPECT_NE(refused([](MediaTexts& t) { t.algorithm = "gcc"; }), "");
}

RunResult run_of(const MediaTexts& texts) {
  return run_media(read_media_config(texts));
}

TEST(MediaRun, IsTheSameForTheSameSeedAlone) {
  MediaTexts texts = on_link("5:5,1:3");
  texts.jitter_ms = "3";
  texts.loss = "0.01";
  const RunResult one = run_of(texts);
  const RunResult again = run_of(texts);
  EXPECT_EQ(one.figures.delivered_bytes, again.figures.delivered_bytes);
  EXPECT_EQ(one.figures.phases[1].owd_p95_ms, again.figures.phases[1].owd_p95_ms);
  texts.seed = "2";
  EXPECT_NE(run_of(texts).figures.delivered_bytes, one.figures.delivered_bytes);
}

TEST(MediaRun, SurvivesLinksThatHardlyAre) {
  MediaTexts texts = on_link("0.01:5,0:5,0.01:2");
  EXPECT_GE(run_of(texts).figures.delivered_packets, 0);
  texts = on_link("5:5");
  texts.silence = {"100@0"};
  const RunResult silent = run_of(texts);
  EXPECT_EQ(silent.figures.delivered_packets, 0);
  EXPECT_EQ(silent.figures.phases[0].owd_p95_ms, std::nullopt);
  texts = on_link("5:5");
  texts.loss = "1";
  EXPECT_EQ(run_of(texts).loss, 1);
  texts.rtt = "0";
  texts.buffer_ms = "0";
  texts.loss = "0";
  EXPECT_GT(run_of(texts).figures.delivered_packets, 0);
}

// The figures of the first row.
TEST(MediaRows, AStepDownIsNeverLate) {
  for (const char* seed : {"1", "2", "3"}) {
    MediaTexts texts = on_link("5:30,1:15,5:30");
    texts.seed = seed;
    const RunResult result = run_of(texts);
    const FeedFigures& camera = result.figures.feeds[0];
    const FeedFigures& radar = result.figures.feeds[1];
    EXPECT_LE(result.figures.phases[1].owd_p95_ms.value_or(1e9), 70) << seed;
    EXPECT_LE(result.figures.phases[2].recovery_90_s.value_or(1e9), 2) << seed;
    EXPECT_LE(camera.over_300, 0.006) << seed;
    EXPECT_LE(camera.frozen_s, 0.35) << seed;
    EXPECT_LE(radar.p99_ms.value_or(1e9), 25 + 9.84 + 45) << seed;
    EXPECT_EQ(radar.dropped_units, 0) << seed;
  }
}

TEST(MediaRows, SlotsOfAPhoneLeaveThePictureInTime) {
  for (const char* slot : {"2.5", "5", "10"}) {
    MediaTexts texts = on_link("5:30");
    texts.uplink = std::string("slot=") + slot + ",harq=0.1x8";
    const RunResult result = run_of(texts);
    EXPECT_GE(result.figures.phases[0].utilisation, 0.8) << slot;
    EXPECT_LE(result.figures.feeds[0].p95_ms.value_or(1e9), 25 + 2 + std::stod(slot) + 8 + 60)
        << slot;
  }
}

TEST(MediaRows, ARealUplinkIsNotLateWithoutNeed) {
  const char* given = std::getenv("FARWHEEL_SHARED_DATA");
  const std::string trace =
      std::string(given ? given : "/work/shared/data") + "/traces/TMobile-LTE-short.up";
  if (!std::filesystem::exists(trace)) GTEST_SKIP() << trace << " is not here";
  MediaTexts texts;
  texts.trace = trace;
  texts.cameras = {"30:0.15-20"};
  const RunResult result = run_of(texts);
  EXPECT_LE(result.figures.feeds[0].over_300, result.oracle.over_300 + 0.012);
  EXPECT_EQ(result.figures.feeds[1].dropped_units, 0);
}

}  // namespace
}  // namespace farwheel::lab::media
