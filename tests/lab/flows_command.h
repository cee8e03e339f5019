// The sub-command `flows`: its options, and what it prints.
#pragma once

#include <CLI/CLI.hpp>

namespace farwheel::lab {

// The texts of the options that a sub-command shares with others, before they are read.
struct FlowsTexts {
  std::string rate = "5";
  std::string rtt = "50";
  std::string buffer_bdp = "10";
  std::string algorithm;
  std::string startup = "fbe";
  std::string params;
  std::string duration = "200";
  std::string start = "0";
  std::string wifi;
  std::string uplink;
  std::string compete;
  std::string cross;
  std::string jitter;
  std::string skew = "0";
  std::string loss = "0";
  std::string policer;
  std::string route;
  std::string reverse;
  std::string queue = "fifo";
  std::string plugin;
  std::string windows;
  std::string series;
  std::string series_step = "0.1";
  std::string seed = "1";
  std::string json = "-";
  bool ecn = false;
  bool events = false;
};

// Adds the sub-command; its callback runs the simulation. OptionErrors leave it.
void add_flows_command(CLI::App& app);

}  // namespace farwheel::lab
