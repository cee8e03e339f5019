// Golden event traces: what the controller reports of itself on a path whose script is fixed, line
// for line. Each trace is a text file beside this one; its head says what it shows and where that
// is specified. To accept a change: look at the difference, then run
//
//   FARWHEEL_ACCEPT_TRACES=1 build/tests/unit/golden/test-golden
//
// and commit the files with the reason.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <ostream>
#include <sstream>

#include "draft/draft_path.h"

namespace farwheel {
namespace {

struct Scenario {
  const char* name;
  PathSetup setup;
  double seconds;
  // Bends the path at its times; runs it to the end.
  std::function<void(DraftPath&)> script;

  friend std::ostream& operator<<(std::ostream& out, const Scenario& s) { return out << s.name; }
};

void longer_from(DraftPath& path, double seconds, std::int64_t ms) {
  path.run_to(seconds);
  path.half_rtt = path.half_rtt + TimeDelta::from_millis(ms / 2);
}

std::vector<Scenario> scenarios() {
  return {
      {"bbr2_deep_buffer", {}, 10, [](DraftPath&) {}},
      {"bbr2_shallow_buffer", {.buffer_ms = 20}, 8, [](DraftPath&) {}},
      {"bbr2_longer_path", {}, 14, [](DraftPath& path) { longer_from(path, 3, 20); }},
      {"bbr2_application_limited",
       {},
       8,
       [](DraftPath& path) {
         path.offered = DataRate::from_mbps(4);
         path.run_to(3);
         path.offered = DataRate::infinite();
       }},
      {"bbr2_reordering",
       {},
       6,
       [](DraftPath& path) {
         path.run_to(2);
         path.detour = [](PacketNumber number) {
           return number % 12 == 0 ? TimeDelta::from_millis(8) : TimeDelta::zero();
         };
       }},
      {"quiche2019_longer_path",
       {.params = "quiche2019"},
       16,
       [](DraftPath& path) { longer_from(path, 3, 20); }},
      {"paper_lone_flow",
       {.algorithm = Algorithm::kAdaptiveBbr2Paper, .mbps = 5, .rtt_ms = 60},
       8,
       [](DraftPath&) {}},
  };
}

// The comment lines of a trace, and its events.
struct Trace {
  std::string head;
  std::string events;
};

std::string path_of(const Scenario& scenario) {
  return std::string(FARWHEEL_TRACES) + "/" + scenario.name + ".txt";
}

Trace read_trace(const std::string& path) {
  Trace trace;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    (line.starts_with("#") ? trace.head : trace.events) += line + '\n';
  }
  return trace;
}

class Golden : public testing::TestWithParam<Scenario> {};

TEST_P(Golden, TraceIsAsAccepted) {
  const Scenario& scenario = GetParam();
  DraftPath path(scenario.setup);
  ASSERT_EQ(path.fault, "");
  scenario.script(path);
  path.run_to(scenario.seconds);
  std::string events;
  for (const ControllerEvent& event : path.log()) events += to_string(event) + '\n';

  const Trace accepted = read_trace(path_of(scenario));
  ASSERT_NE(accepted.head.find("# Source: "), std::string::npos)
      << path_of(scenario) << " is missing, or its head names no source";
  if (std::getenv("FARWHEEL_ACCEPT_TRACES") != nullptr) {
    std::ofstream(path_of(scenario)) << accepted.head << events;
    return;
  }
  EXPECT_EQ(events, accepted.events)
      << "If the change is meant, accept it as the head of golden_test.cc says.";
}

INSTANTIATE_TEST_SUITE_P(Traces, Golden, testing::ValuesIn(scenarios()),
                         [](const auto& trace) { return std::string(trace.param.name); });

}  // namespace
}  // namespace farwheel
