// The unit log: what is in the file when it is closed, and that closed it takes nothing.
#include "webrtc/unit_log.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace farwheel {
namespace {

class UnitLogFile : public testing::Test {
 protected:
  std::string path_ = testing::TempDir() + "unit-log-" + std::to_string(getpid());
  ~UnitLogFile() override { std::remove(path_.c_str()); }

  // Without their times, which are the second word.
  std::vector<std::string> lines() const {
    std::ifstream file(path_);
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) {
      std::istringstream words(line);
      std::string kind;
      std::int64_t at = 0;
      std::string rest;
      words >> kind >> at;
      std::getline(words, rest);
      EXPECT_GT(at, 0) << line;
      lines.push_back(kind == "clock" ? kind : kind + rest);
    }
    return lines;
  }
};

TEST_F(UnitLogFile, HoldsALineForEachThing) {
  UnitLog log;
  log.captured("video_0", 1);  // not open: nowhere
  ASSERT_EQ(log.open(path_), "");
  log.captured("video_0", 11);
  log.sent({.feed = "video_0",
            .capture_unix_ns = 11,
            .ssrc = 4294967295,
            .first_sequence = 65535,
            .packets = 3,
            .bytes = 3000,
            .is_key = true});
  log.key_asked("video_0");
  log.arrived({.ssrc = 7, .sequence = 1, .marker = true, .capture_unix_ns = 11, .bytes = 1200});
  log.received("video_0", 11);
  log.close();
  log.captured("video_0", 12);
  EXPECT_EQ(lines(),
            (std::vector<std::string>{
                "clock", "captured video_0 11", "sent video_0 11 4294967295 65535 3 3000 key",
                "key-asked video_0", "packet 7 1 1 11 1200", "received video_0 11"}));
}

TEST_F(UnitLogFile, NamesAFileThatCannotBeWritten) {
  UnitLog log;
  const std::string fault = log.open("/nonexistent/folder/units");
  EXPECT_NE(fault.find("/nonexistent/folder/units"), std::string::npos);
  EXPECT_FALSE(log.is_open());
  log.captured("video_0", 1);
  log.close();
}

TEST_F(UnitLogFile, LosesNothingOfManyThreads) {
  UnitLog log;
  ASSERT_EQ(log.open(path_), "");
  constexpr int kEach = 20'000;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&log] {
      for (int i = 0; i < kEach; ++i) log.captured("radar_0", 5);
    });
  }
  for (std::thread& thread : threads) thread.join();
  log.close();
  const auto all = lines();
  EXPECT_EQ(std::count(all.begin(), all.end(), "captured radar_0 5"), 4 * kEach);
  // Again, from the beginning.
  ASSERT_EQ(log.open(path_), "");
  log.close();
  EXPECT_EQ(lines().size(), 1u);
}

}  // namespace
}  // namespace farwheel
