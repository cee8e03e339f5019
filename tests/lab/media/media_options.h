// The texts of the options of `farwheel-lab media`, and how they become a MediaConfig.
#pragma once

#include <string>
#include <vector>

#include "media/media_config.h"

namespace farwheel::lab::media {

struct MediaTexts {
  std::string link;
  std::string trace;
  std::string buffer_ms = "300";
  std::string buffer_kb = "150";
  std::string rtt = "50";
  std::string loss = "0";
  std::string feedback_loss = "0";
  std::string reordering = "0";
  std::string jitter_ms = "0";
  std::string uplink;
  std::vector<std::string> silence;
  std::string skew_ppm = "0";
  std::vector<std::string> forward_delay;
  std::vector<std::string> reverse_delay;
  std::string compete;
  std::string duration;
  std::vector<std::string> cameras;
  std::vector<std::string> weights;
  std::string radar = "13:1200";
  std::string vehicles = "1";
  std::string start = "0";
  std::vector<std::string> pauses;
  std::string algorithm = "adaptive-bbr2";
  std::string startup = "fbe";
  std::string start_bitrate = "1";
  std::string params;
  std::string seed = "1";
};

// Throws CLI::ValidationError, which names the option, the value, and what is possible.
MediaConfig read_media_config(const MediaTexts& texts);

}  // namespace farwheel::lab::media
