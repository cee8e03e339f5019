// What the sub-commands' options have in common: their texts, and the values read from them.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "lab_config.h"

namespace farwheel::lab {

// As typed; empty where the option was not given and has no default.
struct LinkTexts {
  std::string rate = "5";
  std::string buffer_bdp = "10";
  std::string queue = "fifo";
  std::string loss = "0";
  std::string cross;
  std::string uplink;
  std::string policer;
  std::string route;
  std::string reverse;
  bool ecn = false;
};
void add_link_options(CLI::App& command, LinkTexts& texts);
LinkConfig read_link(const LinkTexts& texts);

struct SenderTexts {
  std::string algorithm;
  std::string params;
  std::string plugin;
};
void add_sender_options(CLI::App& command, SenderTexts& texts);
// One for all flows or one for each; the default where nothing was given.
std::vector<std::string> read_algorithms(const SenderTexts& texts);
// Separated by '/', since parameters hold commas themselves.
std::vector<std::string> read_params(const std::string& text);

std::uint64_t read_seed(const std::string& text);

}  // namespace farwheel::lab
