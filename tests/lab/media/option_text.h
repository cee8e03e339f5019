// Reads numbers and lists out of the text of an option. What is wrong becomes a
// CLI::ValidationError that names the option, the value, and what is possible.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace farwheel::lab::media {

struct Range {
  double least;
  double most;
};

[[noreturn]] void refuse(std::string_view option, const std::string& what);
// Finite and within the range.
double read_number(std::string_view option, std::string_view text, Range range);
std::int64_t read_whole(std::string_view option, std::string_view text, Range range);
// At least one; none may be empty.
std::vector<std::string_view> split(std::string_view option, std::string_view text, char separator);
// Both sides of the separator; the second is empty where there is none.
struct Halves {
  std::string_view first;
  std::string_view second;
};
Halves halve(std::string_view text, char separator);
// The file's text. Refused if it can't be read or is larger than `most_bytes`.
std::string read_file(std::string_view option, const std::string& name, std::size_t most_bytes);

}  // namespace farwheel::lab::media
