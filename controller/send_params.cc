#include "send_params.h"

#include <array>
#include <charconv>
#include <cmath>
#include <system_error>

namespace farwheel {
namespace {

struct Tunable {
  std::string_view name;
  double SendParams::*value;
  double least;
  double most;
};

constexpr std::array<Tunable, 11> kTunables{{
    {"hold_ms", &SendParams::hold_ms, 20, 10000},
    {"hold_floor_ms", &SendParams::hold_floor_ms, 0, 60000},
    {"blind_after_ms", &SendParams::blind_after_ms, 0, 600000},
    {"trickle_ms", &SendParams::trickle_ms, 10, 10000},
    {"restart_after_ms", &SendParams::restart_after_ms, 0, 60000},
    {"key_request_ms", &SendParams::key_request_ms, 20, 10000},
    {"key_patience", &SendParams::key_patience, 1, 100},
    {"rtx_wait_ms", &SendParams::rtx_wait_ms, 0, 10000},
    {"burst_ms", &SendParams::burst_ms, 0, 100},
    {"timer_ms", &SendParams::timer_ms, 0.05, 20},
    {"backlog_drain_ms", &SendParams::backlog_drain_ms, 20, 10000},
}};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// Takes the next "name=value" off the text; empty ones are passed over.
std::string_view next_item(std::string_view& text) {
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    const std::string_view item = trimmed(text.substr(0, comma));
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
    if (!item.empty()) return item;
  }
  return {};
}

const Tunable* find_tunable(std::string_view item) {
  const std::string_view name = trimmed(item.substr(0, item.find('=')));
  for (const Tunable& tunable : kTunables) {
    if (tunable.name == name) return &tunable;
  }
  return nullptr;
}

std::string printed(double value) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return std::string(text.data(), end);
}

}  // namespace

SplitParams split_params(std::string_view text) {
  SplitParams split;
  for (std::string_view item = next_item(text); !item.empty(); item = next_item(text)) {
    std::string& part = find_tunable(item) ? split.own : split.other;
    if (!part.empty()) part += ',';
    part += item;
  }
  return split;
}

std::string apply_params(std::string_view text, SendParams& params) {
  SendParams changed = params;
  for (std::string_view item = next_item(text); !item.empty(); item = next_item(text)) {
    const Tunable* tunable = find_tunable(item);
    if (tunable == nullptr) return "unknown parameter \"" + std::string(item) + "\"";
    const std::size_t equals = item.find('=');
    const std::string_view digits =
        equals == std::string_view::npos ? std::string_view() : trimmed(item.substr(equals + 1));
    double value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    const bool is_number = error == std::errc() && end == digits.data() + digits.size();
    if (!is_number || !std::isfinite(value) || value < tunable->least || value > tunable->most) {
      return std::string(tunable->name) + ": \"" + std::string(digits) +
             "\" is not a number between " + printed(tunable->least) + " and " +
             printed(tunable->most);
    }
    changed.*(tunable->value) = value;
  }
  params = changed;
  return {};
}

std::string print_params(const SendParams& params) {
  std::string text;
  for (const Tunable& tunable : kTunables) {
    if (!text.empty()) text += ',';
    text += tunable.name;
    text += '=';
    text += printed(params.*(tunable.value));
  }
  return text;
}

}  // namespace farwheel
