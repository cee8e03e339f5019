// The models without QML: stats and frames in, texts and levels out, time injected.
#include <gtest/gtest.h>

#include <QSignalSpy>
#include <cmath>
#include <memory>

#include "models/gauge_model.h"
#include "models/station_model.h"
#include "models/wording.h"

namespace farwheel::station {
namespace {

constexpr Nanoseconds kStart = 1000 * kSecond;

StationStats good_stats(Nanoseconds read_at = kStart) {
  StationStats stats;
  stats.read_at = read_at;
  stats.link = LinkState::kConnected;
  stats.listening = "http://127.0.0.1:8080/whip/";
  stats.vehicle_id = "vehicle-7";
  stats.encrypted = true;
  stats.last_media_age_ms = 20;
  stats.state_age_ms = 60;
  stats.throughput_bps = 4.14e6;
  stats.rtt_ms = 58.4;
  stats.owd_ms = 31.2;
  stats.owd_error_ms = 3.04;
  stats.clock_error_ms = 3.04;
  stats.loss = 0.0;
  stats.controller = ControllerStats{.algorithm = "adaptive-bbr2",
                                     .startup = "fbe",
                                     .state = "probe_bw_cruise",
                                     .limited_by = "encoder",
                                     .target_bps = 4.4e6,
                                     .queue_delay_ms = 2.7};
  return stats;
}

class StationModelTest : public testing::Test {
 protected:
  void receive(const StationStats& stats) {
    station_.receiveStats(std::make_shared<StationStats>(stats));
  }
  CameraModel* add_camera() {
    station_.cameras()->add(QStringLiteral("video_0"), std::make_shared<FrameMailbox>());
    return station_.cameras()->main();
  }
  static ShownFrame frame(Nanoseconds shown_at, Nanoseconds age) {
    return {.shown_at = shown_at,
            .capture = CaptureTime{.at = shown_at - age, .band = 5 * kMillisecond}};
  }

  StationModel station_;
};

TEST_F(StationModelTest, EverythingIsADashAtFirst) {
  station_.tick(kStart);
  for (const ReadoutModel* readout :
       {static_cast<ReadoutModel*>(station_.link()->delay()),
        static_cast<ReadoutModel*>(station_.link()->rtt()),
        static_cast<ReadoutModel*>(station_.link()->throughput()), station_.link()->loss(),
        station_.link()->queue(), station_.link()->clockError()}) {
    EXPECT_FALSE(readout->valid());
    EXPECT_EQ(readout->text(), QStringLiteral("–")) << qPrintable(readout->label());
    EXPECT_EQ(readout->level(), Level::Unknown);
  }
  EXPECT_EQ(station_.connection()->stateText(), QStringLiteral("NO STATUS"));
  EXPECT_EQ(station_.connection()->vehicle(), QStringLiteral("–"));
  EXPECT_EQ(station_.connection()->controllerText(), QStringLiteral("–"));
}

TEST_F(StationModelTest, FiguresAsTexts) {
  receive(good_stats());
  station_.tick(kStart);
  EXPECT_EQ(station_.link()->delay()->text(), QStringLiteral("31"));
  EXPECT_EQ(station_.link()->delay()->bandText(), QStringLiteral("±3.0"));
  EXPECT_EQ(station_.link()->rtt()->text(), QStringLiteral("58"));
  EXPECT_EQ(station_.link()->throughput()->text(), QStringLiteral("4.1"));
  EXPECT_EQ(station_.link()->throughput()->targetText(), QStringLiteral("4.4"));
  EXPECT_EQ(station_.link()->loss()->text(), QStringLiteral("0.0"));
  EXPECT_EQ(station_.link()->queue()->text(), QStringLiteral("3"));
  EXPECT_EQ(station_.link()->clockError()->text(), QStringLiteral("3.0"));
  EXPECT_EQ(station_.connection()->vehicle(), QStringLiteral("vehicle-7"));
  EXPECT_EQ(station_.connection()->algorithm(), QStringLiteral("adaptive-bbr2"));
  EXPECT_EQ(station_.connection()->controllerText(),
            QStringLiteral("cruising, limited by encoder"));
  EXPECT_EQ(station_.connection()->encryptionText(), QStringLiteral("ENCRYPTED"));
}

TEST_F(StationModelTest, NoBandNoDelay) {
  StationStats stats = good_stats();
  stats.owd_error_ms.reset();
  receive(stats);
  station_.tick(kStart);
  EXPECT_FALSE(station_.link()->delay()->valid());
  EXPECT_TRUE(station_.link()->rtt()->valid());
}

TEST_F(StationModelTest, ADelayBelowZeroIsShownAsZeroWithItsBand) {
  StationStats stats = good_stats();
  stats.owd_ms = -0.4;
  receive(stats);
  station_.tick(kStart);
  EXPECT_EQ(station_.link()->delay()->text(), QStringLiteral("0"));
  EXPECT_EQ(station_.link()->delay()->bandText(), QStringLiteral("±3.0"));
}

TEST_F(StationModelTest, EachFigureLivesAsLongAsItsOwnSource) {
  StationStats stats = good_stats();
  stats.state_age_ms = 1001;
  receive(stats);
  station_.tick(kStart);
  EXPECT_FALSE(station_.link()->rtt()->valid());
  EXPECT_TRUE(std::isnan(station_.link()->throughput()->target()));
  EXPECT_EQ(station_.connection()->controllerText(), QStringLiteral("–"));
  EXPECT_TRUE(station_.link()->throughput()->valid());

  stats = good_stats(kStart + kSecond);
  stats.last_media_age_ms = 1001;
  receive(stats);
  station_.tick(kStart + kSecond);
  EXPECT_FALSE(station_.link()->throughput()->valid());
  EXPECT_FALSE(station_.link()->delay()->valid());
  EXPECT_FALSE(station_.link()->loss()->valid());
  EXPECT_TRUE(station_.link()->rtt()->valid());
}

TEST_F(StationModelTest, ASilentVehicleLeavesNoFigureAtAll) {
  StationStats stats = good_stats();
  stats.link = LinkState::kStale;
  stats.last_media_age_ms = 1001;
  stats.state_age_ms = 1001;
  receive(stats);
  station_.tick(kStart);
  EXPECT_FALSE(station_.link()->rtt()->valid());
  EXPECT_FALSE(station_.link()->clockError()->valid());
  EXPECT_EQ(station_.connection()->stateText(), QStringLiteral("NO DATA"));
  stats.state_age_ms.reset();
  receive(stats);
  station_.tick(kStart + kSecond / 2);
  EXPECT_FALSE(station_.link()->rtt()->valid());
}

TEST_F(StationModelTest, AgesGoOnBetweenStats) {
  receive(good_stats());
  station_.tick(kStart + 900 * kMillisecond);
  EXPECT_TRUE(station_.link()->throughput()->valid());  // 920 ms old
  EXPECT_TRUE(station_.link()->rtt()->valid());         // 960 ms old
  station_.tick(kStart + 1000 * kMillisecond);
  EXPECT_FALSE(station_.link()->throughput()->valid());
  EXPECT_FALSE(station_.link()->rtt()->valid());
  EXPECT_FALSE(station_.link()->clockError()->valid());
  EXPECT_EQ(station_.connection()->state(), StationState::NoStatus);
}

TEST_F(StationModelTest, ALostLinkHasNoFigures) {
  StationStats stats = good_stats();
  stats.link = LinkState::kLost;
  receive(stats);
  station_.tick(kStart);
  EXPECT_FALSE(station_.link()->delay()->valid());
  EXPECT_FALSE(station_.link()->rtt()->valid());
  EXPECT_FALSE(station_.link()->throughput()->valid());
  EXPECT_EQ(station_.connection()->stateText(), QStringLiteral("LOST"));
  EXPECT_EQ(station_.connection()->level(), Level::Critical);
}

TEST_F(StationModelTest, LevelsFollowTheLimits) {
  StationStats stats = good_stats();
  stats.owd_ms = 171;
  stats.rtt_ms = 401;
  stats.loss = 0.03;
  receive(stats);
  station_.tick(kStart);
  EXPECT_EQ(station_.link()->delay()->level(), Level::Caution);
  EXPECT_EQ(station_.link()->delay()->levelText(), QStringLiteral("HIGH"));
  EXPECT_EQ(station_.link()->rtt()->level(), Level::Critical);
  EXPECT_EQ(station_.link()->loss()->text(), QStringLiteral("3.0"));
  EXPECT_EQ(station_.link()->loss()->level(), Level::Caution);
}

TEST_F(StationModelTest, NotEncryptedIsAnAlarm) {
  StationStats stats = good_stats();
  stats.encrypted = false;
  receive(stats);
  station_.tick(kStart);
  EXPECT_EQ(station_.connection()->encryptionText(), QStringLiteral("NOT ENCRYPTED"));
  EXPECT_EQ(station_.connection()->encryptionLevel(), Level::Critical);
}

TEST_F(StationModelTest, AFailedConsoleDoesNotLookAsIfItWaited) {
  StationStats stats = good_stats();
  stats.link = LinkState::kWaiting;
  receive(stats);
  station_.connection()->setFailure(QStringLiteral("the port is taken"));
  station_.tick(kStart);
  EXPECT_EQ(station_.connection()->stateText(), QStringLiteral("FAULT"));
  EXPECT_EQ(station_.connection()->level(), Level::Critical);
}

TEST_F(StationModelTest, AnOverloadedConsoleSaysSo) {
  StationStats stats = good_stats();
  receive(stats);
  station_.tick(kStart);
  EXPECT_EQ(station_.connection()->overloadText(), QString());
  stats.console_overloaded = true;
  receive(stats);
  station_.tick(kStart);
  EXPECT_EQ(station_.connection()->overloadText(), QStringLiteral("CONSOLE OVERLOADED"));
}

TEST_F(StationModelTest, APictureFromShownToLost) {
  CameraModel* camera = add_camera();
  receive(good_stats());
  station_.tick(kStart);
  EXPECT_EQ(camera->freshness(), Freshness::None);
  EXPECT_EQ(station_.connection()->state(), StationState::NoPicture);

  QSignalSpy turns(camera, &CameraModel::freshnessChanged);
  camera->frameShown(frame(kStart + 10 * kMillisecond, 84 * kMillisecond));
  station_.tick(kStart + 20 * kMillisecond);
  EXPECT_EQ(camera->freshness(), Freshness::Live);
  EXPECT_FALSE(camera->veiled());
  EXPECT_EQ(camera->pictureAge()->text(), QStringLiteral("84"));
  EXPECT_EQ(camera->pictureAge()->bandText(), QStringLiteral("±5.0"));
  EXPECT_EQ(station_.connection()->state(), StationState::Live);
  EXPECT_EQ(turns.count(), 1);

  station_.tick(kStart + 209 * kMillisecond);
  EXPECT_FALSE(camera->veiled());
  station_.tick(kStart + 243 * kMillisecond);
  EXPECT_TRUE(camera->veiled());
  EXPECT_EQ(camera->freshnessText(), QStringLiteral("PICTURE FROZEN"));
  EXPECT_EQ(camera->ageText(), QStringLiteral("317 ms"));  // from the capture, not the arrival
  EXPECT_EQ(camera->pictureAge()->text(), QStringLiteral("–"));
  EXPECT_EQ(camera->frameRate()->text(), QStringLiteral("–"));
  EXPECT_EQ(station_.connection()->state(), StationState::Frozen);
  EXPECT_EQ(turns.count(), 2);

  station_.cameras()->remove(QStringLiteral("video_0"));
  station_.tick(kStart + 276 * kMillisecond);
  EXPECT_EQ(camera->freshnessText(), QStringLiteral("PICTURE LOST"));

  // The vehicle comes back: the same camera, not another one.
  station_.cameras()->add(QStringLiteral("video_0"), camera->frames());
  EXPECT_EQ(station_.cameras()->count(), 1);
  camera->frameShown(frame(kStart + 2 * kSecond, 90 * kMillisecond));
  station_.tick(kStart + 2 * kSecond);
  EXPECT_EQ(camera->freshness(), Freshness::Live);
}

TEST_F(StationModelTest, FrameRateCountsTheLastSecond) {
  CameraModel* camera = add_camera();
  receive(good_stats());
  for (int i = 0; i < 60; ++i) {
    camera->frameShown(frame(kStart + i * kSecond / 30, 80 * kMillisecond));
  }
  station_.tick(kStart + 59 * kSecond / 30);
  EXPECT_EQ(camera->frameRate()->text(), QStringLiteral("30"));
}

TEST_F(StationModelTest, AKeyBringsACameraToTheMainPlace) {
  CameraListModel* cameras = station_.cameras();
  for (int i = 0; i < 12; ++i) {
    cameras->add(QStringLiteral("video_%1").arg(i), std::make_shared<FrameMailbox>());
  }
  EXPECT_EQ(cameras->count(), CameraListModel::kMaxCameras);
  EXPECT_EQ(cameras->main()->number(), 1);
  QSignalSpy changes(cameras, &CameraListModel::mainChanged);
  cameras->show(3);
  EXPECT_EQ(cameras->main()->name(), QStringLiteral("video_2"));
  EXPECT_EQ(changes.count(), 1);
  cameras->show(0);
  cameras->show(10);
  EXPECT_EQ(cameras->main()->number(), 3);
}

TEST(RadarModelTest, SweepsBecomePointsAndGoStale) {
  RadarModel radar;
  radar.tick(kStart);
  EXPECT_EQ(radar.freshness(), Freshness::None);
  ReceivedSweep received{.received_at = kStart};
  received.sweep.detections = {{.x = 20, .y = 1, .vx = -9, .vy = 0},
                               {.x = 30, .y = -2, .vx = 4, .vy = 0},
                               {.x = 8, .y = 5, .vx = 0, .vy = 0},
                               {.x = NAN, .y = 5, .vx = 0, .vy = 0}};
  radar.show(received);
  radar.tick(kStart + 100 * kMillisecond);
  EXPECT_EQ(radar.count(), 3);
  EXPECT_EQ(radar.approaching(), 1);
  EXPECT_EQ(radar.receding(), 1);
  EXPECT_EQ(radar.still(), 1);
  EXPECT_FALSE(radar.veiled());
  radar.tick(kStart + 250 * kMillisecond);
  EXPECT_TRUE(radar.veiled());
  EXPECT_EQ(radar.freshnessText(), QStringLiteral("RADAR STOPPED"));
}

TEST(RadarModelTest, RangeGrowsAtOnceAndShrinksLater) {
  RadarModel radar;
  ReceivedSweep received{.received_at = kStart};
  received.sweep.detections.assign(10, {.x = 140, .y = 0, .vx = 0, .vy = 0});
  radar.show(received);
  EXPECT_EQ(radar.rangeM(), 150);
  received.sweep.detections.assign(10, {.x = 20, .y = 0, .vx = 0, .vy = 0});
  received.received_at = kStart + 4 * kSecond;
  radar.show(received);
  EXPECT_EQ(radar.rangeM(), 150);
  received.received_at = kStart + 6 * kSecond;
  radar.show(received);
  EXPECT_EQ(radar.rangeM(), 50);
}

TEST(GaugeModelTest, AThroughputScaleFollowsTheLastMinute) {
  GaugeModel gauge({.label = QStringLiteral("T"), .decimals = 1}, {.to = 5, .grows = true},
                   GaugeModel::Second::kTarget);
  gauge.sample(kStart, 4.1, std::nullopt);
  EXPECT_EQ(gauge.to(), 5);
  gauge.sampleTarget(kStart, 7.0);
  EXPECT_EQ(gauge.to(), 10);
  gauge.sampleTarget(kStart + 59 * kSecond, 1.0);
  EXPECT_EQ(gauge.to(), 10);
  gauge.sample(kStart + 125 * kSecond, 0.6, std::nullopt);
  gauge.sampleTarget(kStart + 125 * kSecond, 0.7);
  EXPECT_EQ(gauge.to(), 1);
  EXPECT_EQ(nice_ceiling(0), 1);
  EXPECT_EQ(nice_ceiling(21), 50);
  EXPECT_EQ(nice_ceiling(51), 100);
}

TEST(TimeSeriesTest, KeepsAMinuteAndGaps) {
  TimeSeries series;
  for (int i = 0; i <= 100; ++i) series.append({.at = kStart + i * kSecond, .value = 1.0 * i});
  EXPECT_GE(series.newest() - series.samples().front().at, TimeSeries::kWindow);
  EXPECT_LE(series.samples().size(), 62U);
  EXPECT_EQ(series.largest(), 100);
  // Time does not run backwards; such a sample would fold the line.
  series.append({.at = kStart, .value = 500});
  EXPECT_EQ(series.largest(), 100);
}

TEST(Wording, NumbersBandsAndAges) {
  EXPECT_EQ(number_text(std::nullopt, 1), QStringLiteral("–"));
  EXPECT_EQ(number_text(-0.04, 1), QStringLiteral("0.0"));
  EXPECT_EQ(number_text(1e6 / 3, 0), QStringLiteral("333333"));
  EXPECT_EQ(number_text(INFINITY, 0), QStringLiteral("–"));
  EXPECT_EQ(band_text(0.0), QStringLiteral("±<0.1"));
  EXPECT_EQ(band_text(9.96), QStringLiteral("±10"));
  EXPECT_EQ(band_text(std::nullopt), QString());
  EXPECT_EQ(age_text(340 * kMillisecond), QStringLiteral("340 ms"));
  EXPECT_EQ(age_text(2490 * kMillisecond), QStringLiteral("2.4 s"));
  EXPECT_EQ(age_text(200 * kSecond), QStringLiteral("3:20 min"));
  EXPECT_EQ(age_text(std::nullopt), QStringLiteral("–"));
}

TEST(Wording, TheControllerInWords) {
  EXPECT_EQ(controller_words({.state = "startup", .limited_by = "startup"}),
            QStringLiteral("starting up, rate not yet known"));
  EXPECT_EQ(controller_words({.state = "probe_bw_up", .limited_by = "nothing"}),
            QStringLiteral("probing for more, not limited"));
  EXPECT_EQ(controller_words({.state = "made up by a vehicle", .limited_by = "encoder"}),
            QStringLiteral("–"));
  EXPECT_EQ(controller_words({.state = "drain", .limited_by = "?"}),
            QStringLiteral("draining the queue"));
  EXPECT_EQ(controller_level({.state = "drain", .limited_by = "silence"}), Level::Caution);
}

TEST(Wording, TextFromTheNetworkIsTamed) {
  EXPECT_EQ(foreign_text(std::string("a\nb\x1b[31mc")), QStringLiteral("ab[31mc"));
  EXPECT_EQ(foreign_text(std::string(500, 'x')).size(), 48);
  EXPECT_EQ(foreign_text(std::string("\xff\xfe")).size(), 2);  // replaced, not dropped or read past
}

}  // namespace
}  // namespace farwheel::station
