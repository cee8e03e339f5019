#include "radar/pcd_collector.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "radar/pcd_text.h"

namespace farwheel {
namespace {

constexpr std::string_view kMagic = "# .PCD";
constexpr std::string_view kVersionLine = "VERSION ";

// An ascii line that is longer holds no point: kPcdMaxValues of 16 characters.
constexpr std::size_t kMaxLineSize = 64 * 1024;

// True, too, where `text` is so short that it may yet start so.
bool may_start_with(std::string_view text, std::string_view start) {
  return text.substr(0, start.size()) == start.substr(0, text.size());
}

bool may_start_file(std::string_view text) {
  return may_start_with(text, kMagic) || may_start_with(text, kVersionLine);
}

std::size_t leading_blanks(std::string_view text) {
  std::size_t count = 0;
  while (count < text.size() && is_pcd_blank(text[count])) ++count;
  return count;
}

}  // namespace

std::vector<PcdOutcome> PcdCollector::push(std::span<const std::uint8_t> bytes) {
  std::vector<PcdOutcome> outcomes;
  const std::string_view text = as_text(bytes);
  const bool between_headers = header_ || skipping_ != Skipping::kNo;
  const bool starts_file =
      text.starts_with(kMagic) || (between_headers && text.starts_with(kVersionLine));
  if (starts_file) outcomes = finish();
  held_.insert(held_.end(), bytes.begin(), bytes.end());
  collect(outcomes);
  return outcomes;
}

std::vector<PcdOutcome> PcdCollector::finish() {
  std::vector<PcdOutcome> outcomes;
  if (skipping_ == Skipping::kNo && !is_pcd_blank(as_text(held_))) {
    outcomes.push_back(read_pcd(held_, invalid_points_));
  }
  reset();
  return outcomes;
}

void PcdCollector::reset() {
  held_.clear();
  header_.reset();
  scanned_ = 0;
  points_ = 0;
  skipping_ = Skipping::kNo;
}

void PcdCollector::collect(std::vector<PcdOutcome>& outcomes) {
  while (!held_.empty()) {
    if (skipping_ != Skipping::kNo && !skip_to_header()) return;
    if (!header_ && !read_header(outcomes)) {
      if (skipping_ != Skipping::kNo) continue;
      return;
    }
    if (const auto end = file_end()) {
      take_file(*end, outcomes);
    } else if (header_->data == PcdData::kAscii &&
               (held_.size() > kPcdMaxFileSize || held_.size() > scanned_ + kMaxLineSize)) {
      reject({PcdFaultKind::kTooLarge,
              held_.size() > kPcdMaxFileSize
                  ? "more than " + std::to_string(kPcdMaxFileSize) + " bytes without the last point"
                  : "a line of more than " + std::to_string(kMaxLineSize) + " bytes",
              0, scanned_},
             held_.size(), outcomes);
    } else {
      return;
    }
  }
}

// False: no start in what is held, of which only a possible beginning of one is kept.
bool PcdCollector::skip_to_header() {
  const std::string_view text = as_text(held_);
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at);
    if (may_start_with(rest, kMagic) ||
        (skipping_ == Skipping::kToMagicOrVersion && may_start_with(rest, kVersionLine))) {
      drop_front(at);
      if (held_.size() < kVersionLine.size()) return false;
      skipping_ = Skipping::kNo;
      return true;
    }
    const std::size_t newline = text.find('\n', at);
    if (newline == std::string_view::npos) {
      // The rest of a line that is no header: one byte stands for it, so that its end is found.
      held_.assign(1, ' ');
      return false;
    }
    at = newline + 1;
  }
  held_.clear();
  return false;
}

bool PcdCollector::read_header(std::vector<PcdOutcome>& outcomes) {
  drop_front(leading_blanks(as_text(held_)));
  if (held_.empty()) return false;
  auto result = read_pcd_header(held_);
  if (auto* fault = std::get_if<PcdFault>(&result)) {
    // The first line may be a right one, and must not be found again.
    const auto newline = std::find(held_.begin(), held_.end(), std::uint8_t{'\n'});
    const auto line = static_cast<std::size_t>(newline - held_.begin());
    reject(std::move(*fault), std::min(line + 1, held_.size()), outcomes);
    return false;
  }
  auto* header = std::get_if<PcdHeader>(&result);
  if (header == nullptr) return false;
  header_ = *header;
  scanned_ = header_->size;
  points_ = 0;
  return true;
}

std::optional<std::size_t> PcdCollector::file_end() {
  if (header_->data == PcdData::kBinary) {
    const std::size_t end = header_->size + header_->points * header_->stride;
    return held_.size() >= end ? std::optional(end) : std::nullopt;
  }
  const std::string_view text = as_text(held_);
  while (points_ < header_->points) {
    const std::size_t newline = text.find('\n', scanned_);
    if (newline == std::string_view::npos) return std::nullopt;
    const std::string_view line = text.substr(scanned_, newline - scanned_);
    if (!is_pcd_blank(line) && line.front() != '#') ++points_;
    scanned_ = newline + 1;
  }
  return scanned_;
}

void PcdCollector::take_file(std::size_t end, std::vector<PcdOutcome>& outcomes) {
  std::string_view surplus = as_text(held_).substr(end);
  surplus.remove_prefix(leading_blanks(surplus));
  if (!may_start_file(surplus)) {
    reject({PcdFaultKind::kSurplus,
            "more data than the " + std::to_string(header_->points) +
                " points that are declared, and no new header",
            header_->data == PcdData::kAscii ? header_->lines + header_->points + 1 : 0, end},
           end, outcomes);
    return;
  }
  outcomes.push_back(read_pcd(std::span(held_).first(end), invalid_points_));
  drop_front(end);
  header_.reset();
}

void PcdCollector::drop_front(std::size_t bytes) {
  held_.erase(held_.begin(), held_.begin() + static_cast<std::ptrdiff_t>(bytes));
}

void PcdCollector::reject(PcdFault fault, std::size_t bytes, std::vector<PcdOutcome>& outcomes) {
  outcomes.emplace_back(std::move(fault));
  skipping_ = as_text(held_).starts_with(kMagic) ? Skipping::kToMagic : Skipping::kToMagicOrVersion;
  drop_front(bytes);
  header_.reset();
}

}  // namespace farwheel
