// A vehicle process is killed (SIGKILL) and started again, ten times in a row, before one station.
// The station runs in this process, so that its threads and descriptors can be counted. How long
// each start took until the picture came is printed; what is asserted is that it came, and that
// nothing accumulates. Use: test-restart [gtest options]; FARWHEEL_VEHICLE names the program.
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "pair.h"

namespace farwheel {
namespace {

constexpr int kKills = 10;
constexpr double kLong = 20;  // seconds; liveness on a loaded machine

std::ptrdiff_t entries_of(const char* folder) {
  const std::filesystem::directory_iterator entries(folder);
  return std::distance(begin(entries), end(entries));
}

class VehicleProcess {
 public:
  explicit VehicleProcess(const std::string& endpoint) {
    const char* program = std::getenv("FARWHEEL_VEHICLE");
    const std::vector<const char*> arguments{program,        "--endpoint", endpoint.c_str(),
                                             "--vehicle-id", "restart",    "--size",
                                             "320x180",      nullptr};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    EXPECT_EQ(posix_spawn(&pid_, program, &actions, nullptr,
                          const_cast<char* const*>(arguments.data()), environ),
              0)
        << program;
    posix_spawn_file_actions_destroy(&actions);
  }
  ~VehicleProcess() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  VehicleProcess(const VehicleProcess&) = delete;
  VehicleProcess& operator=(const VehicleProcess&) = delete;

 private:
  pid_t pid_ = 0;
};

TEST(Restart, AVehicleKilledTenTimesIsBackEachTimeAndNothingAccumulates) {
  if (!std::getenv("FARWHEEL_VEHICLE")) GTEST_SKIP() << "FARWHEEL_VEHICLE is not set";
  Station station;
  const std::string endpoint = station.url();
  std::ptrdiff_t threads = 0;
  std::ptrdiff_t descriptors = 0;
  for (int start = 0; start <= kKills; ++start) {
    const std::uint64_t before = station.count("video_0").buffers;
    const auto began = std::chrono::steady_clock::now();
    const VehicleProcess vehicle(endpoint);
    ASSERT_TRUE(wait_until([&] { return station.count("video_0").buffers > before; }, kLong))
        << "no picture after start " << start;
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - began;
    std::printf("start %d: picture after %.0f ms\n", start, took.count());
    // Moving, not one frame that happened to be under way.
    ASSERT_TRUE(wait_until([&] { return station.count("video_0").buffers > before + 10; }, kLong));
    ASSERT_TRUE(wait_until([&] { return station.number("sessions") == 1; }, kLong))
        << station.number("sessions") << " sessions live";
    if (start == 2) {  // pools and one-time threads are there by now
      threads = entries_of("/proc/self/task");
      descriptors = entries_of("/proc/self/fd");
    }
    if (start == kKills) {
      EXPECT_EQ(station.number("sessions-total"), static_cast<std::uint64_t>(kKills + 1));
      EXPECT_TRUE(wait_until([&] { return entries_of("/proc/self/task") <= threads; }, kLong))
          << entries_of("/proc/self/task") << " threads, " << threads << " after the third start";
      EXPECT_TRUE(wait_until([&] { return entries_of("/proc/self/fd") <= descriptors; }, kLong))
          << entries_of("/proc/self/fd") << " descriptors, " << descriptors << " after the third";
      std::printf("%td threads, %td descriptors\n", threads, descriptors);
    }
  }
  EXPECT_EQ(station.pads_removed(), 0);
  EXPECT_FALSE(station.has_error());
}

}  // namespace
}  // namespace farwheel

int main(int argc, char** argv) {
  gst_init(&argc, &argv);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
