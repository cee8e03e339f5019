// Reads the values of options. Whatever is wrong with one becomes an OptionError whose text names
// the option, the value, and what is possible; the program then ends with status 2.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "lab_config.h"

namespace farwheel::lab {

class OptionError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Range {
  double least;
  double most;
};

// "--rate", "5"
double read_number(std::string_view option, std::string_view text, Range range);
std::vector<double> read_numbers(std::string_view option, std::string_view text, Range range);
std::vector<std::string> read_list(std::string_view option, std::string_view text, char separator);
// One of the names, or an error that lists them.
std::string read_name(std::string_view option, std::string_view text,
                      const std::vector<std::string>& names);

std::optional<GrantModel> read_uplink(std::string_view text);  // slot=5[,harq=0.1x8]
std::optional<Policer> read_policer(std::string_view text);    // 5:15kB
std::vector<DelayStep> read_route(std::string_view text);      // +30@60,-30@120
std::vector<DelayStep> read_reverse(std::string_view text);    // 80@30,0@60
double read_cross(std::string_view text);                      // poisson:0.3
std::vector<PeerConfig> read_peers(std::string_view text);     // cubic[:RTT][@FROM[-TO]],...
std::vector<TimeWindow> read_windows(std::string_view text);   // 30-60,60-90

// Gives each of `count` flows its value of a list that has one for all or one for each.
template <typename T>
T value_for(std::string_view option, const std::vector<T>& list, std::size_t flow,
            std::size_t count) {
  if (list.size() == 1) return list.front();
  if (list.size() == count) return list[flow];
  throw OptionError(std::string(option) + ": " + std::to_string(list.size()) + " values for " +
                    std::to_string(count) + " flows of --rtt; give one for all, or one for each");
}

}  // namespace farwheel::lab
