#include "media/option_text.h"

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <fstream>
#include <sstream>

namespace farwheel::lab::media {
namespace {

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kMost = 80;
  std::string out = "'";
  for (const char c : text.substr(0, kMost)) {
    out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
  }
  return out + (text.size() > kMost ? "...'" : "'");
}

std::string shown(double value) {
  std::ostringstream text;
  text << value;
  return text.str();
}

}  // namespace

void refuse(std::string_view option, const std::string& what) {
  throw CLI::ValidationError(std::string(option), what);
}

double read_number(std::string_view option, std::string_view text, Range range) {
  double value = 0;
  const char* begin = text.data();
  const char* end = begin + text.size();
  if (text.starts_with('+')) ++begin;
  const auto [stop, error] = std::from_chars(begin, end, value);
  if (text.empty() || error != std::errc() || stop != end || !std::isfinite(value)) {
    refuse(option, in_quotes(text) + " is no number");
  }
  if (value < range.least || value > range.most) {
    refuse(option, in_quotes(text) + " is out of range; possible are " + shown(range.least) +
                       " to " + shown(range.most));
  }
  return value;
}

std::int64_t read_whole(std::string_view option, std::string_view text, Range range) {
  const double value = read_number(option, text, range);
  if (value != std::floor(value)) refuse(option, in_quotes(text) + " is no whole number");
  return static_cast<std::int64_t>(value);
}

std::vector<std::string_view> split(std::string_view option, std::string_view text,
                                    char separator) {
  std::vector<std::string_view> parts;
  const std::string_view whole = text;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (parts.back().empty()) refuse(option, in_quotes(whole) + " has an empty value");
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

Halves halve(std::string_view text, char separator) {
  const std::size_t at = text.find(separator);
  if (at == std::string_view::npos) return {text, {}};
  return {text.substr(0, at), text.substr(at + 1)};
}

std::string read_file(std::string_view option, const std::string& name, std::size_t most_bytes) {
  std::ifstream file(name, std::ios::binary);
  if (!file) refuse(option, in_quotes(name) + " cannot be read");
  std::string text(most_bytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad()) refuse(option, in_quotes(name) + " cannot be read");
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(0, file.gcount())));
  if (text.empty()) refuse(option, in_quotes(name) + " is empty or no file");
  if (text.size() > most_bytes) {
    refuse(option, in_quotes(name) + " is larger than " + std::to_string(most_bytes) + " bytes");
  }
  return text;
}

}  // namespace farwheel::lab::media
