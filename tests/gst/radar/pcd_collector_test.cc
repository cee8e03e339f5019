#include "radar/pcd_collector.h"

#include <gtest/gtest.h>

#include <random>

#include "pcd_files.h"

namespace farwheel {
namespace {

using testing::binary_pcd;
using testing::Bytes;
using testing::kAsciiPcd;
using testing::replaced;
using testing::to_bytes;

Bytes operator+(Bytes a, const Bytes& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// "3" for a sweep of three, "-" for a fault, a space between.
std::string seen(const std::vector<PcdOutcome>& outcomes) {
  std::string text;
  for (const auto& outcome : outcomes) {
    if (!text.empty()) text += ' ';
    const auto* sweep = std::get_if<PcdSweep>(&outcome);
    text += sweep != nullptr ? std::to_string(sweep->detections.size()) : "-";
  }
  return text;
}

std::string in_chunks(const Bytes& bytes, std::size_t size) {
  PcdCollector collector;
  std::vector<PcdOutcome> all;
  for (std::size_t at = 0; at < bytes.size(); at += size) {
    const auto chunk = std::span(bytes).subspan(at, std::min(size, bytes.size() - at));
    for (auto& outcome : collector.push(chunk)) all.push_back(std::move(outcome));
  }
  for (auto& outcome : collector.finish()) all.push_back(std::move(outcome));
  return seen(all);
}

const Bytes kAscii = to_bytes(kAsciiPcd);
const Bytes kUnended = to_bytes(kAsciiPcd.substr(0, kAsciiPcd.size() - 1));

TEST(PcdCollector, GivesAWholeFileAtOnce) {
  PcdCollector collector;
  EXPECT_EQ(seen(collector.push(kAscii)), "3");
  EXPECT_FALSE(collector.holding());
  EXPECT_EQ(seen(collector.push(binary_pcd())), "3");
  EXPECT_FALSE(collector.holding());
}

TEST(PcdCollector, PutsFilesTogetherFromAnyChunks) {
  const Bytes stream =
      binary_pcd() + kAscii + to_bytes("\n\n") + binary_pcd() + binary_pcd() + kAscii;
  for (std::size_t size : {1u, 2u, 3u, 5u, 7u, 64u, 100u, 333u, 4096u}) {
    EXPECT_EQ(in_chunks(stream, size), "3 3 3 3 3") << "chunks of " << size;
  }
}

TEST(PcdCollector, WaitsForALastLineThatMayGoOn) {
  PcdCollector collector;
  EXPECT_EQ(seen(collector.push(kUnended)), "");
  EXPECT_TRUE(collector.holding());
  EXPECT_EQ(seen(collector.push(to_bytes("5\n"))), "3") << "-0.25 went on as -0.255";
  EXPECT_EQ(seen(collector.push(kUnended)), "");
  EXPECT_EQ(seen(collector.push(kUnended)), "3") << "a new file ends the old one";
  EXPECT_EQ(seen(collector.finish()), "3");
}

TEST(PcdCollector, DropsATruncatedFileWhenTheNextBegins) {
  PcdCollector collector;
  Bytes cut = binary_pcd();
  cut.resize(cut.size() - 9);
  EXPECT_EQ(seen(collector.push(cut)), "");
  EXPECT_EQ(seen(collector.push(binary_pcd())), "- 3");
  cut.resize(100);
  EXPECT_EQ(seen(collector.push(cut)), "");
  EXPECT_EQ(seen(collector.push(kAscii)), "- 3");
}

TEST(PcdCollector, DropsAFileWhoseHeaderLiesAboutItsLength) {
  std::string lying = replaced(kAsciiPcd, "WIDTH 3", "WIDTH 2");
  lying = replaced(lying, "POINTS 3", "POINTS 2");
  PcdCollector collector;
  EXPECT_EQ(seen(collector.push(to_bytes(lying))), "-");
  EXPECT_EQ(seen(collector.push(kAscii)), "3");
}

TEST(PcdCollector, FindsTheNextFileBehindABadOne) {
  const Bytes bad = to_bytes(replaced(kAsciiPcd, "VERSION 0.7", "VERSION 0.5"));
  const Bytes compressed =
      to_bytes(kAsciiPcd.substr(0, kAsciiPcd.find("DATA")) + "DATA binary_compressed\n") +
      Bytes{1, 2, 3, '\n', '#', ' ', '.', 'P', 'C', 'x', 0, 255};
  for (std::size_t size : {1u, 3u, 50u, 4096u}) {
    EXPECT_EQ(in_chunks(bad + kAscii, size), "- 3") << size;
    EXPECT_EQ(in_chunks(compressed + to_bytes("\n") + kAscii, size), "- 3") << size;
    EXPECT_EQ(in_chunks(to_bytes("GARBAGE\nmore\n") + kAscii + bad + binary_pcd(), size), "- 3 - 3")
        << size;
  }
}

TEST(PcdCollector, TakesAFileThatBeginsWithVersion) {
  const Bytes plain = to_bytes(kAsciiPcd.substr(kAsciiPcd.find("VERSION")));
  for (std::size_t size : {1u, 40u, 4096u}) EXPECT_EQ(in_chunks(plain + plain, size), "3 3");
  PcdCollector collector;
  EXPECT_EQ(seen(collector.push(to_bytes("VERSION 0.1\nFIELDS x\n"))), "-");
  EXPECT_EQ(seen(collector.push(plain)), "3");
}

TEST(PcdCollector, RefusesGarbageWithoutWaiting) {
  PcdCollector collector;
  EXPECT_EQ(seen(collector.push(Bytes(300, 0xd5))), "-");
  EXPECT_EQ(seen(collector.push(Bytes(300, 0xd5))), "") << "counted once";
  EXPECT_EQ(seen(collector.push(kAscii)), "3");
}

TEST(PcdCollector, HoldsNoLineWithoutEnd) {
  PcdCollector collector;
  EXPECT_EQ(seen(collector.push(to_bytes(kAsciiPcd.substr(0, kAsciiPcd.find("285"))))), "");
  std::string outcomes;
  for (int i = 0; i < 100; ++i) outcomes += seen(collector.push(Bytes(1000, '1')));
  EXPECT_EQ(outcomes, "-");
  EXPECT_EQ(seen(collector.push(kAscii)), "3");
}

TEST(PcdCollector, SurvivesMutatedStreams) {
  std::mt19937 random(7);
  std::size_t sweeps = 0;
  for (int round = 0; round < 3000; ++round) {
    Bytes bytes = kAscii + binary_pcd() + kUnended;
    for (int c = 0; c < 3; ++c)
      bytes[random() % bytes.size()] = static_cast<std::uint8_t>(random());
    PcdCollector collector;
    const std::size_t chunk = 1 + random() % 200;
    std::size_t outcomes = 0;
    for (std::size_t at = 0; at < bytes.size(); at += chunk) {
      const auto part = std::span(bytes).subspan(at, std::min(chunk, bytes.size() - at));
      outcomes += collector.push(part).size();
    }
    outcomes += collector.finish().size();
    ASSERT_LE(outcomes, 12u);
    // Whatever came before, a whole file on its own is read.
    const std::string after = seen(collector.push(kAscii));
    ASSERT_EQ(after, "3") << "round " << round;
    sweeps += outcomes;
  }
  EXPECT_GT(sweeps, 6000u);
}

}  // namespace
}  // namespace farwheel
