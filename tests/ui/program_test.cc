// What the program adds around its models: command line, report, mailbox.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <fstream>
#include <string>
#include <vector>

#include "options.h"
#include "run_report.h"

namespace farwheel::station {
namespace {

ParsedOptions parse(std::vector<std::string> words) {
  words.insert(words.begin(), "farwheel-station");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  return parse_options(static_cast<int>(argv.size()), argv.data());
}

TEST(OptionsTest, Defaults) {
  const ParsedOptions parsed = parse({});
  ASSERT_TRUE(parsed.options);
  EXPECT_EQ(parsed.options->listen, "127.0.0.1:8080");
  EXPECT_EQ(parsed.options->size, QSize(1280, 720));
  EXPECT_FALSE(parsed.options->fake);
}

TEST(OptionsTest, Mistakes) {
  testing::internal::CaptureStderr();
  for (const auto& words :
       std::vector<std::vector<std::string>>{{"--size", "big"},
                                             {"--size", "1280x720x3"},
                                             {"--size", "10x10"},
                                             {"--fake", "nonsense"},
                                             {"--seconds", "-1"},
                                             {"--after", "3"},
                                             {"--headless", "--screenshot", "a.png"},
                                             {"--token-file", "/nowhere/token"},
                                             {"--unknown"}}) {
    const ParsedOptions parsed = parse(words);
    EXPECT_FALSE(parsed.options) << words.front();
    EXPECT_NE(parsed.exit_code, 0) << words.front();
  }
  EXPECT_NE(testing::internal::GetCapturedStderr().find("give WIDTHxHEIGHT"), std::string::npos);
}

TEST(OptionsTest, ATokenOnlyFromAFileOfItsOwnerAlone) {
  const QTemporaryDir folder;
  const std::string path = folder.filePath(QStringLiteral("token")).toStdString();
  std::ofstream(path) << "s3cret\nsecond line\n";
  std::string token;
  ASSERT_EQ(chmod(path.c_str(), 0640), 0);
  EXPECT_NE(read_token(path, &token).find("chmod 600"), std::string::npos);
  EXPECT_EQ(token, "");
  ASSERT_EQ(chmod(path.c_str(), 0600), 0);
  EXPECT_EQ(read_token(path, &token), "");
  EXPECT_EQ(token, "s3cret");
  std::ofstream(path, std::ios::trunc) << "\n";
  EXPECT_NE(read_token(path, &token).find("is empty"), std::string::npos);
  EXPECT_NE(read_token(folder.path().toStdString(), &token), "");
}

TEST(FrameMailboxTest, HoldsTheNewestAndWakesOnce) {
  FrameMailbox mailbox;
  int wakes = 0;
  QObject::connect(&mailbox, &FrameMailbox::arrived, &mailbox, [&wakes] { ++wakes; });
  for (int i = 1; i <= 3; ++i) mailbox.put({.decoded_at = i});
  EXPECT_EQ(wakes, 1);
  EXPECT_EQ(mailbox.frames_put(), 3U);
  EXPECT_EQ(mailbox.frames_replaced(), 2U);
  ASSERT_EQ(mailbox.take().value().decoded_at, 3);
  EXPECT_FALSE(mailbox.take());
  mailbox.put({.decoded_at = 4});
  EXPECT_EQ(wakes, 2);
}

TEST(RunReportTest, UnknownIsNullAndTheLastKnownStays) {
  RunReport report;
  QJsonObject empty = QJsonDocument::fromJson(report.json()).object();
  for (const char* name :
       {"throughput_bps", "target_bps", "rtt_ms", "owd_ms", "owd_error_ms", "picture_age_ms",
        "first_frame_unix_ns", "algorithm", "startup", "encrypted", "sessions_total"}) {
    ASSERT_TRUE(empty.contains(QLatin1String(name))) << name;
    EXPECT_TRUE(empty.value(QLatin1String(name)).isNull()) << name;
  }
  EXPECT_EQ(empty.value(QStringLiteral("frames_shown")).toInt(), 0);

  StationStats stats;
  stats.link = LinkState::kConnected;
  stats.feeds = {{.name = "video_0", .kind = "camera", .units_received = 5},
                 {.name = "radar_0", .kind = "radar", .units_received = 9}};
  stats.owd_ms = 0.4;
  stats.owd_error_ms = 0.6;
  stats.encrypted = true;
  stats.sessions_total = 1;
  stats.controller = ControllerStats{.algorithm = "bbr2",
                                     .startup = "fbe",
                                     .target_bps = 4e6,
                                     .fbe_estimate_bps = 9e6,
                                     .fbe_confidence = 0.5};
  report.takeStats(stats);
  // A later delay without a band must not be paired with the band of an earlier one.
  report.takeStats(StationStats{.link = LinkState::kConnected, .owd_ms = 77});
  // Nor does what is said after the session count.
  report.takeStats(StationStats{.link = LinkState::kLost, .encrypted = false, .rtt_ms = 900});
  for (const Nanoseconds age : {30, 40, 80}) {
    report.frameShown(
        {.shown_at = kSecond,
         .received_at = kSecond - 7 * kMillisecond,
         .capture = CaptureTime{.at = kSecond - age * kMillisecond, .band = 2 * kMillisecond}});
  }
  report.sweepShown();
  const QJsonObject full = QJsonDocument::fromJson(report.json()).object();
  EXPECT_EQ(full.value(QStringLiteral("frames_shown")).toInt(), 3);
  EXPECT_EQ(full.value(QStringLiteral("frames_received")).toInt(), 5);
  EXPECT_TRUE(full.value(QStringLiteral("rtt_ms")).isNull());
  EXPECT_EQ(full.value(QStringLiteral("radar_sweeps_shown")).toInt(), 1);
  EXPECT_DOUBLE_EQ(full.value(QStringLiteral("picture_age_ms")).toDouble(), 40);
  EXPECT_DOUBLE_EQ(full.value(QStringLiteral("console_ms")).toDouble(), 7);
  EXPECT_DOUBLE_EQ(full.value(QStringLiteral("owd_ms")).toDouble(), 0.4);
  EXPECT_DOUBLE_EQ(full.value(QStringLiteral("owd_error_ms")).toDouble(), 0.6);
  EXPECT_TRUE(full.value(QStringLiteral("encrypted")).toBool());
  EXPECT_EQ(full.value(QStringLiteral("algorithm")).toString(), QStringLiteral("bbr2"));
  const QJsonObject fbe = full.value(QStringLiteral("fbe")).toObject();
  EXPECT_DOUBLE_EQ(fbe.value(QStringLiteral("estimate_bps")).toDouble(), 9e6);
  EXPECT_DOUBLE_EQ(fbe.value(QStringLiteral("confidence")).toDouble(), 0.5);
}

TEST(RunReportTest, AFileThatCannotBeWrittenIsNamed) {
  const RunReport report;
  EXPECT_NE(report.write("/nowhere/at/all.json").indexOf(QStringLiteral("/nowhere/at/all.json")),
            -1);
  const QTemporaryDir folder;
  const QString path = folder.filePath(QStringLiteral("out.json"));
  EXPECT_EQ(report.write(path.toStdString()), QString());
  EXPECT_GT(QFileInfo(path).size(), 0);
}

}  // namespace
}  // namespace farwheel::station
