// Every experiment of the two papers: which runs there are, and what each of them gave.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "lab_config.h"
#include "paper/process_pool.h"

namespace farwheel::lab {

struct PaperConfig {
  std::filesystem::path out;
  bool is_quick = false;
  int jobs = 2;
  bool has_wifi = false;  // 802.11n on L2, as in the paper; else wired with the same round trip
  std::uint64_t seed = 1;
};

// Who is measured: the paper's baseline, the paper's algorithm, ours.
struct Contestant {
  const char* name;  // in file names
  const char* title;
  const char* algorithm;
  const char* startup;
  const char* params;
};
const std::vector<Contestant>& contestants();

struct FlowsCell {
  std::size_t contestant;
  int order;  // 0: the buffer experiment; 1 to 3: the start orders
  double x;   // buffer in BDP, or round trip of L2 in ms
  double jain;
  double utilisation;
  double mbps[2];
  double owd_ms[2];
  double path_ms[2];
};

struct StartupCell {
  double rate_mbps;
  double rtt_ms;
  double cross;
  nlohmann::ordered_json senders;
};

struct PaperResults {
  std::vector<FlowsCell> buffers;
  std::vector<FlowsCell> rtts;
  std::vector<StartupCell> startups;
};

// Writes the time series of the start orders into config.out/data as it goes.
PaperResults run_experiments(const PaperConfig& config);

// data/NAME of one contestant's series in a start order.
std::string series_name(const Contestant& contestant, int order);
// The round trip of L2 whose course over time is drawn, ms.
inline constexpr double kDrawnRtt = 80;

}  // namespace farwheel::lab
