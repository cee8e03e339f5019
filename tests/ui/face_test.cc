// The face, drawn by the software scene graph without a screen: every component loads without a
// warning, values come out as texts, unknown as a dash, stale as a veil, and the picture, the
// charts and the radar are really on it.
#include <gtest/gtest.h>

#include <QGuiApplication>
#include <QQuickItem>
#include <QQuickWindow>
#include <QSGRendererInterface>
#include <QtTest/QTest>
#include <array>
#include <cstdlib>
#include <memory>
#include <set>

#include "backend/fake_scene.h"
#include "console_window.h"
#include "items/radar_item.h"
#include "items/video_item.h"

namespace farwheel::station {
namespace {

QStringList warnings;

void take_message(QtMsgType type, const QMessageLogContext&, const QString& text) {
  if (type != QtDebugMsg && type != QtInfoMsg &&
      !text.contains(QStringLiteral("XDG_RUNTIME_DIR"))) {
    warnings << text;
  }
}

bool is_near(QRgb one, QRgb other, int tolerance = 12) {
  return std::abs(qRed(one) - qRed(other)) <= tolerance &&
         std::abs(qGreen(one) - qGreen(other)) <= tolerance &&
         std::abs(qBlue(one) - qBlue(other)) <= tolerance;
}

// A console of the fake scene in which time passes only when told.
class FaceTest : public testing::Test {
 protected:
  void SetUp() override {
    warnings.clear();
    console_ = std::make_unique<ConsoleWindow>(&station_);
    ASSERT_TRUE(console_->show({1280, 720}));
    ASSERT_TRUE(QTest::qWaitForWindowExposed(console_->window()));
  }
  void TearDown() override {
    console_.reset();
    EXPECT_EQ(warnings, QStringList()) << qPrintable(warnings.join(QLatin1Char('\n')));
  }

  void receive_stats(Nanoseconds now) {
    auto stats = std::make_shared<StationStats>(scene_.stats(kSecond));
    stats->read_at = now;
    station_.receiveStats(std::move(stats));
  }
  void add_cameras() {
    for (std::size_t i = 0; i < frames_.size(); ++i) {
      frames_[i] = std::make_shared<FrameMailbox>();
      station_.cameras()->add(QStringLiteral("video_%1").arg(i), frames_[i]);
    }
  }
  void put_pictures() {
    for (std::size_t i = 0; i < frames_.size(); ++i) {
      QImage image = scene_.picture(static_cast<int>(i), kSecond);
      const QSizeF size(image.size());
      const Nanoseconds now = monotonic_now();
      frames_[i]->put({.image = std::move(image),
                       .display_size = size,
                       .capture = CaptureTime{.at = now - 60 * kMillisecond, .band = kMillisecond},
                       .decoded_at = now});
    }
    // Until the swap has been told to the models.
    const auto* main = station_.cameras()->main();
    const std::uint64_t before = main->framesShown();
    ASSERT_TRUE(QTest::qWaitFor([&] { return main->framesShown() > before; }, 5000));
  }
  QQuickItem* item(const char* name) const {
    // The window's own children first; items inside repeaters have no QObject parent in the tree.
    return find(console_->window()->contentItem(), QLatin1String(name));
  }
  static QQuickItem* find(QQuickItem* under, QLatin1String name) {
    if (under->objectName() == name) return under;
    for (QQuickItem* child : under->childItems()) {
      if (QQuickItem* found = find(child, name)) return found;
    }
    return nullptr;
  }
  QString text(const char* name) const {
    const QQuickItem* found = item(name);
    return found ? found->property("text").toString() : QStringLiteral("no such item");
  }
  QString text(const char* name, const char* inside) const {
    QQuickItem* outer = item(name);
    const QQuickItem* found = outer ? find(outer, QLatin1String(inside)) : nullptr;
    return found ? found->property("text").toString() : QStringLiteral("no such item");
  }
  QImage grab() const { return console_->window()->grabWindow(); }
  static QRect area(const QQuickItem* of) {
    return of->mapRectToScene(of->boundingRect()).toAlignedRect();
  }
  // How many different colours an area shows: one where nothing is drawn.
  static std::size_t colours(const QImage& image, const QRect& where) {
    std::set<QRgb> seen;
    for (int y = where.top(); y <= where.bottom(); ++y) {
      for (int x = where.left(); x <= where.right(); ++x) seen.insert(image.pixel(x, y));
    }
    return seen.size();
  }
  static int count_near(const QImage& image, const QRect& where, QRgb colour) {
    int count = 0;
    for (int y = where.top(); y <= where.bottom(); ++y) {
      for (int x = where.left(); x <= where.right(); ++x) {
        count += is_near(image.pixel(x, y), colour) ? 1 : 0;
      }
    }
    return count;
  }

  FakeScene scene_{FakeCourse::kLive};
  std::array<std::shared_ptr<FrameMailbox>, FakeScene::kCameras> frames_;
  StationModel station_;
  std::unique_ptr<ConsoleWindow> console_;
};

TEST_F(FaceTest, DrawsInSoftware) {
  EXPECT_EQ(console_->window()->rendererInterface()->graphicsApi(), QSGRendererInterface::Software);
}

TEST_F(FaceTest, UnknownIsADash) {
  station_.tick(monotonic_now());
  EXPECT_EQ(text("state"), QStringLiteral("NO STATUS"));
  for (const char* bar : {"pictureAge", "frameRate", "loss", "queue", "clockError"}) {
    EXPECT_EQ(text(bar, "number"), QStringLiteral("–")) << bar;
  }
  EXPECT_EQ(text("linkPanel", "number"), QStringLiteral("–"));
  EXPECT_EQ(text("vehicle"), QStringLiteral("–"));
  EXPECT_EQ(text("controller"), QStringLiteral("–"));
  EXPECT_TRUE(item("nothing")->isVisible());
}

TEST_F(FaceTest, AFaultIsSaidWithAndWithoutPictures) {
  station_.connection()->setFailure(QStringLiteral("the port is taken"));
  EXPECT_FALSE(item("fault")->isVisible());
  EXPECT_TRUE(item("nothing")->isVisible());
  add_cameras();
  EXPECT_TRUE(item("fault")->isVisible());
  EXPECT_FALSE(item("nothing")->isVisible());
}

TEST_F(FaceTest, ValuesComeOutAsTexts) {
  const Nanoseconds now = monotonic_now();
  receive_stats(now);
  station_.setTimeOfDay(QStringLiteral("12:31:07"));
  station_.tick(now);
  EXPECT_EQ(text("vehicle"), QStringLiteral("vehicle-7"));
  EXPECT_EQ(text("algorithm"), QStringLiteral("adaptive-bbr2"));
  EXPECT_EQ(text("controller"), station_.connection()->controllerText());
  EXPECT_EQ(text("encryption"), QStringLiteral("ENCRYPTED"));
  EXPECT_EQ(text("clock"), QStringLiteral("12:31:07"));
  EXPECT_EQ(text("linkPanel", "number"), station_.link()->delay()->text());
  EXPECT_NE(text("linkPanel", "number"), QStringLiteral("–"));
  EXPECT_EQ(text("linkPanel", "aside"), QStringLiteral("±3.2"));
  EXPECT_EQ(text("clockError", "number"), QStringLiteral("3.2"));
}

TEST_F(FaceTest, ThePictureIsOnScreenInItsColours) {
  add_cameras();
  put_pictures();
  station_.tick(monotonic_now());
  const QImage face = grab();
  auto* video = qobject_cast<VideoItem*>(find(item("pane1"), QLatin1String("video")));
  ASSERT_TRUE(video);
  ASSERT_TRUE(QTest::qWaitFor([&] { return !video->pictureRect().isEmpty(); }, 2000));
  const QRect where = video->mapRectToScene(video->pictureRect()).toAlignedRect();
  EXPECT_NEAR(where.width() / static_cast<double>(where.height()), 960.0 / 540, 0.01);
  const QRgb sky = face.pixel(where.right() - 20, where.top() + 12);
  const QRgb ground = face.pixel(where.left() + 6, where.top() + 330);
  EXPECT_TRUE(is_near(sky, FakeScene::kSky)) << std::hex << sky;
  EXPECT_TRUE(is_near(ground, FakeScene::kGround)) << std::hex << ground;
}

TEST_F(FaceTest, AStalePictureIsVeiledWithin250Ms) {
  add_cameras();
  put_pictures();
  const Nanoseconds now = monotonic_now();
  receive_stats(now);
  station_.tick(now);
  QQuickItem* veil = find(item("pane1"), QLatin1String("veil"));
  ASSERT_TRUE(veil);
  EXPECT_FALSE(veil->isVisible());
  auto* video = qobject_cast<VideoItem*>(find(item("pane1"), QLatin1String("video")));
  const QRect where = area(video);
  const QRgb live = grab().pixel(where.center().x(), where.top() + 120);

  receive_stats(now + 240 * kMillisecond);
  station_.tick(now + 240 * kMillisecond);
  EXPECT_TRUE(veil->isVisible());
  EXPECT_EQ(find(veil, QLatin1String("title"))->property("text").toString(),
            QStringLiteral("PICTURE FROZEN"));
  const QRgb veiled = grab().pixel(where.center().x(), where.top() + 120);
  EXPECT_LT(qGray(veiled), qGray(live) / 2);
  // Nothing on the face is written larger than the age.
  const double age_size =
      find(veil, QLatin1String("age"))->property("font").value<QFont>().pixelSize();
  EXPECT_GT(age_size, 100);

  put_pictures();
  station_.tick(monotonic_now());
  EXPECT_FALSE(veil->isVisible());
}

TEST_F(FaceTest, ChartsAndScalesAreDrawn) {
  const Nanoseconds now = monotonic_now();
  station_.tick(now);
  const QRect panel = area(item("linkPanel"));
  const QRect lower(panel.left() + 20, panel.top() + panel.height() * 2 / 3 + 75,
                    panel.width() - 40, panel.height() / 3 - 95);
  const std::size_t empty = colours(grab(), lower);
  for (int i = 0; i < 300; ++i) {
    const Nanoseconds then = now + (i + 1) * 200 * kMillisecond;
    receive_stats(then);
    station_.tick(then);
  }
  EXPECT_GT(colours(grab(), lower), empty + 5);
}

TEST_F(FaceTest, TheRadarShowsWhatComesCloser) {
  auto* plot = qobject_cast<RadarItem*>(item("plot"));
  ASSERT_TRUE(plot);
  ReceivedSweep received{.received_at = monotonic_now()};
  received.sweep.detections = {{.x = 30, .y = 10, .vx = -8, .vy = 0},
                               {.x = 30, .y = -10, .vx = 8, .vy = 0}};
  station_.radar()->show(received);
  station_.tick(received.received_at);
  const QImage face = grab();
  const QRgb approaching = qvariant_cast<QColor>(plot->property("approachingColor")).rgb();
  const QRgb receding = qvariant_cast<QColor>(plot->property("recedingColor")).rgb();
  const auto around = [plot](double x, double y) {
    const QPointF at = plot->mapToScene(plot->place(x, y));
    return QRect(qRound(at.x()) - 5, qRound(at.y()) - 5, 11, 11);
  };
  EXPECT_GT(count_near(face, around(30, 10), approaching), 6);
  EXPECT_EQ(count_near(face, around(30, 10), receding), 0);
  EXPECT_GT(count_near(face, around(30, -10), receding), 6);
  // Left of the vehicle is left on the plot.
  EXPECT_LT(plot->place(30, 10).x(), plot->place(30, -10).x());

  QQuickItem* veil = find(item("radarPanel"), QLatin1String("veil"));
  EXPECT_FALSE(veil->isVisible());
  station_.tick(received.received_at + 250 * kMillisecond);
  EXPECT_TRUE(veil->isVisible());
}

TEST_F(FaceTest, AKeySwapsCamerasAndTheFaceDoesNotOverlap) {
  add_cameras();
  put_pictures();
  for (const QSize size : {QSize(1280, 720), QSize(1920, 1080), QSize(960, 540)}) {
    console_->window()->resize(size);
    QTest::qWait(50);
    const QRect stage = area(item("stage"));
    const QRect panel = area(item("linkPanel"));
    const QRect radar = area(item("radarPanel"));
    const QRect top = area(item("topBar"));
    const QRect bottom = area(item("bottomBar"));
    EXPECT_FALSE(stage.adjusted(1, 1, -1, -1).intersects(panel));
    EXPECT_FALSE(stage.adjusted(1, 1, -1, -1).intersects(radar));
    EXPECT_FALSE(panel.adjusted(1, 1, -1, -1).intersects(radar));
    EXPECT_FALSE(stage.adjusted(1, 1, -1, -1).intersects(top));
    EXPECT_FALSE(stage.adjusted(1, 1, -1, -1).intersects(bottom));
    EXPECT_GT(stage.width() * stage.height(), size.width() * size.height() * 6 / 10);
  }
  EXPECT_GT(item("pane1")->width(), item("pane2")->width());
  QTest::keyClick(console_->window(), Qt::Key_2);
  EXPECT_EQ(station_.cameras()->main()->number(), 2);
  EXPECT_GT(item("pane2")->width(), item("pane1")->width());
  QTest::mouseClick(console_->window(), Qt::LeftButton, {}, area(item("pane1")).center());
  EXPECT_EQ(station_.cameras()->main()->number(), 1);
}

TEST(Letterbox, KeepsTheShape) {
  EXPECT_EQ(letterbox({1920, 1080}, {0, 0, 960, 636}), QRectF(0, 48, 960, 540));
  EXPECT_EQ(letterbox({400, 800}, {10, 0, 400, 400}), QRectF(110, 0, 200, 400));
  EXPECT_EQ(letterbox({0, 10}, {0, 0, 5, 5}), QRectF());
}

}  // namespace
}  // namespace farwheel::station

int main(int argc, char** argv) {
  qputenv("QT_QPA_PLATFORM", "offscreen");
  testing::InitGoogleTest(&argc, argv);
  qInstallMessageHandler(farwheel::station::take_message);
  QGuiApplication app(argc, argv);
  farwheel::station::choose_scene_graph();
  return RUN_ALL_TESTS();
}
