#include <algorithm>
#include <string>

#include "radar/pcd_reader.h"
#include "radar/pcd_text.h"

namespace farwheel {
namespace {

constexpr std::array<std::string_view, kPcdColumnCount> kColumnNames = {
    "x", "y", "z", "rcs", "vx", "vy", "vx_comp", "vy_comp", "invalid_state"};

enum Keyword { kVersion, kFields, kSize, kType, kCount, kWidth, kHeight, kViewpoint, kPoints };
constexpr std::array<std::string_view, 9> kKeywords = {
    "VERSION", "FIELDS", "SIZE", "TYPE", "COUNT", "WIDTH", "HEIGHT", "VIEWPOINT", "POINTS"};

// What comes from the file is quoted short and printable.
std::string quoted(std::string_view word) {
  std::string text = "'";
  for (char c : word.substr(0, 24)) text += c >= 0x20 && c < 0x7f ? c : '?';
  return text + (word.size() > 24 ? "…'" : "'");
}

// Whether a line whose end is not there yet may become a header line.
bool may_be_header(std::string_view line) {
  const std::string_view word = take_word(line);
  if (word.empty() || word.front() == '#') return true;
  const bool whole = !line.empty();
  const auto matches = [&](std::string_view keyword) {
    return whole ? keyword == word : keyword.starts_with(word);
  };
  return matches("DATA") || std::any_of(kKeywords.begin(), kKeywords.end(), matches);
}

class HeaderReader {
 public:
  explicit HeaderReader(std::string_view text) : text_(text) {}

  std::variant<PcdHeader, PcdHeaderIncomplete, PcdFault> read() {
    while (at_ < text_.size()) {
      const std::size_t end = text_.find('\n', at_);
      if (end == std::string_view::npos || end >= kPcdMaxHeaderSize) {
        if (text_.size() - at_ >= kPcdMaxHeaderSize || text_.size() >= kPcdMaxHeaderSize) {
          return fault(keywords_seen_ ? PcdFaultKind::kTooLarge : PcdFaultKind::kNoHeader,
                       "no DATA line within the first " + std::to_string(kPcdMaxHeaderSize) +
                           " bytes; this is no PCD v0.7 file");
        }
        if (!keywords_seen_ && !may_be_header(text_.substr(at_))) {
          return fault(PcdFaultKind::kNoHeader,
                       "starts with " + quoted(text_.substr(at_)) + "; this is no PCD v0.7 file");
        }
        return PcdHeaderIncomplete{};
      }
      std::string_view rest = text_.substr(at_, end - at_);
      const std::string_view keyword = take_word(rest);
      const bool is_data = keyword == "DATA";
      if (is_data) {
        if (auto wrong = finish(rest)) return *wrong;
        header_.size = end + 1;
        header_.lines = line_;
        return header_;
      }
      if (auto wrong = take(keyword, rest)) return *wrong;
      at_ = end + 1;
      ++line_;
    }
    return PcdHeaderIncomplete{};
  }

 private:
  struct Line {
    std::string_view rest;
    std::size_t number = 0;
    std::size_t byte = 0;
  };

  PcdFault fault(PcdFaultKind kind, std::string text) const {
    return {kind, std::move(text), line_, at_};
  }
  static PcdFault fault_at(const Line& line, std::string text) {
    return {PcdFaultKind::kHeader, std::move(text), line.number, line.byte};
  }

  std::optional<PcdFault> take(std::string_view keyword, std::string_view rest) {
    if (keyword.empty() || keyword.front() == '#') return std::nullopt;
    const auto known = std::find(kKeywords.begin(), kKeywords.end(), keyword);
    if (known == kKeywords.end()) {
      if (!keywords_seen_) {
        return fault(PcdFaultKind::kNoHeader,
                     "starts with " + quoted(keyword) + "; this is no PCD v0.7 file");
      }
      return fault(PcdFaultKind::kHeader, "unknown header line " + quoted(keyword));
    }
    keywords_seen_ = true;
    auto& line = lines_[static_cast<std::size_t>(known - kKeywords.begin())];
    if (line) return fault(PcdFaultKind::kHeader, "a second " + std::string(keyword) + " line");
    line = Line{rest, line_, at_};
    if (known == kKeywords.begin()) {
      const std::string_view version = take_word(rest);
      if (version != "0.7" && version != ".7") {
        return fault(PcdFaultKind::kVersion,
                     "VERSION " + quoted(version) + "; only 0.7 is read, save the file as 0.7");
      }
    }
    return std::nullopt;
  }

  std::optional<PcdFault> finish(std::string_view data) {
    const std::string_view form = take_word(data);
    if (!keywords_seen_) return fault(PcdFaultKind::kNoHeader, "DATA without any header before it");
    if (form == "binary_compressed") {
      return fault(PcdFaultKind::kUnsupportedData,
                   "DATA binary_compressed is not read; save the file as binary or ascii");
    }
    if (form != "ascii" && form != "binary") {
      return fault(PcdFaultKind::kHeader, "DATA " + quoted(form) + " is neither ascii nor binary");
    }
    header_.data = form == "ascii" ? PcdData::kAscii : PcdData::kBinary;
    if (auto wrong = count_points()) return wrong;
    if (auto wrong = lay_out_columns()) return wrong;
    if (header_.points * header_.stride > kPcdMaxFileSize) {
      return fault(PcdFaultKind::kTooLarge, std::to_string(header_.points) + " points of " +
                                                std::to_string(header_.stride) +
                                                " bytes are declared, more than " +
                                                std::to_string(kPcdMaxFileSize) + " bytes in all");
    }
    return std::nullopt;
  }

  // The one number of a line; `value` stays as it is where the line is absent.
  std::optional<PcdFault> one_number(Keyword keyword, std::optional<std::uint64_t>& value) {
    const auto& line = lines_[keyword];
    if (!line) return std::nullopt;
    std::string_view rest = line->rest;
    const std::string_view word = take_word(rest);
    value = parse_count(word);
    if (!value || !is_pcd_blank(rest)) {
      return fault_at(*line, std::string(kKeywords[keyword]) +
                                 " wants one number of 0 or more, not " +
                                 quoted(word.empty() ? word : line->rest.substr(1)));
    }
    return std::nullopt;
  }

  std::optional<PcdFault> count_points() {
    std::optional<std::uint64_t> width;
    std::optional<std::uint64_t> height;
    std::optional<std::uint64_t> points;
    if (auto wrong = one_number(kWidth, width)) return wrong;
    if (auto wrong = one_number(kHeight, height)) return wrong;
    if (auto wrong = one_number(kPoints, points)) return wrong;
    if (!points && !width) {
      return fault(PcdFaultKind::kHeader, "neither POINTS nor WIDTH before DATA");
    }
    const std::uint64_t rows = height.value_or(1);
    constexpr std::uint64_t kMost = kRadarSweepMaxDetections;
    const bool too_many = (points && *points > kMost) ||
                          (width && (*width > kMost || rows > kMost || *width * rows > kMost));
    if (too_many) {
      const auto& line = lines_[points && *points > kMost ? kPoints : kWidth];
      return PcdFault{
          PcdFaultKind::kTooLarge,
          "more than " + std::to_string(kMost) + " points are declared; that is no radar sweep",
          line->number, line->byte};
    }
    if (points && width && *width * rows != *points) {
      return fault_at(*lines_[kPoints], "POINTS says " + std::to_string(*points) +
                                            ", WIDTH times HEIGHT " +
                                            std::to_string(*width * rows));
    }
    header_.points = static_cast<std::size_t>(points ? *points : *width * rows);
    return std::nullopt;
  }

  std::optional<PcdFault> lay_out_columns() {
    for (Keyword keyword : {kFields, kSize, kType}) {
      if (!lines_[keyword]) {
        return fault(PcdFaultKind::kHeader,
                     "no " + std::string(kKeywords[keyword]) + " line before DATA");
      }
    }
    std::string_view names = lines_[kFields]->rest;
    std::string_view sizes = lines_[kSize]->rest;
    std::string_view types = lines_[kType]->rest;
    std::string_view counts = lines_[kCount] ? lines_[kCount]->rest : std::string_view();
    std::size_t fields = 0;
    for (std::string_view name = take_word(names); !name.empty(); name = take_word(names)) {
      if (++fields > kPcdMaxFields) {
        return PcdFault{PcdFaultKind::kTooLarge,
                        "more than " + std::to_string(kPcdMaxFields) + " fields",
                        lines_[kFields]->number, lines_[kFields]->byte};
      }
      const std::string_view size = take_word(sizes);
      const std::string_view type = take_word(types);
      const std::string_view count = lines_[kCount] ? take_word(counts) : std::string_view("1");
      if (size.empty()) return fault_at(*lines_[kSize], "fewer entries than FIELDS");
      if (type.empty()) return fault_at(*lines_[kType], "fewer entries than FIELDS");
      if (count.empty()) return fault_at(*lines_[kCount], "fewer entries than FIELDS");
      if (auto wrong = add_field(name, size, type, count)) return wrong;
    }
    if (!is_pcd_blank(sizes)) return fault_at(*lines_[kSize], "more entries than FIELDS");
    if (!is_pcd_blank(types)) return fault_at(*lines_[kType], "more entries than FIELDS");
    if (!is_pcd_blank(counts)) return fault_at(*lines_[kCount], "more entries than FIELDS");
    for (PcdColumnName needed : {kPcdX, kPcdY}) {
      if (!header_.columns[needed]) {
        return PcdFault{PcdFaultKind::kColumns,
                        "no field " + std::string(kColumnNames[needed]) + "; a sweep needs x and y",
                        lines_[kFields]->number, lines_[kFields]->byte};
      }
    }
    return std::nullopt;
  }

  std::optional<PcdFault> add_field(std::string_view name, std::string_view size_word,
                                    std::string_view type_word, std::string_view count_word) {
    const auto size = parse_count(size_word);
    const bool is_float = type_word == "F";
    if (!is_float && type_word != "I" && type_word != "U") {
      return fault_at(*lines_[kType],
                      quoted(type_word) + " of field " + quoted(name) + " is none of F, I, U");
    }
    const bool size_fits =
        size && (*size == 4 || *size == 8 || (!is_float && (*size == 1 || *size == 2)));
    if (!size_fits) {
      return fault_at(*lines_[kSize], quoted(size_word) + " bytes do not go with type " +
                                          std::string(type_word) + " of field " + quoted(name));
    }
    const auto count = parse_count(count_word);
    if (!count || *count == 0) {
      return fault_at(*lines_[kCount],
                      quoted(count_word) + " of field " + quoted(name) + " is no count from 1");
    }
    if (*count > kPcdMaxValues || header_.values + *count > kPcdMaxValues) {
      return PcdFault{PcdFaultKind::kTooLarge,
                      "more than " + std::to_string(kPcdMaxValues) + " values a point",
                      lines_[kCount] ? lines_[kCount]->number : lines_[kFields]->number,
                      lines_[kCount] ? lines_[kCount]->byte : lines_[kFields]->byte};
    }
    const auto known = std::find(kColumnNames.begin(), kColumnNames.end(), name);
    if (known != kColumnNames.end()) {
      auto& column = header_.columns[static_cast<std::size_t>(known - kColumnNames.begin())];
      if (column) return fault_at(*lines_[kFields], "two fields " + quoted(name));
      if (*count != 1) {
        return PcdFault{PcdFaultKind::kColumns,
                        "field " + quoted(name) + " has COUNT " + std::to_string(*count) +
                            "; only 1 is understood",
                        lines_[kCount]->number, lines_[kCount]->byte};
      }
      column = PcdColumn{.type = is_float           ? PcdType::kFloat
                                 : type_word == "I" ? PcdType::kSigned
                                                    : PcdType::kUnsigned,
                         .size = static_cast<std::uint8_t>(*size),
                         .offset = static_cast<std::uint32_t>(header_.stride),
                         .value = static_cast<std::uint32_t>(header_.values)};
    }
    header_.values += static_cast<std::size_t>(*count);
    header_.stride += static_cast<std::size_t>(*count * *size);
    return std::nullopt;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  bool keywords_seen_ = false;
  std::array<std::optional<Line>, kKeywords.size()> lines_;
  PcdHeader header_;
};

}  // namespace

std::variant<PcdHeader, PcdHeaderIncomplete, PcdFault> read_pcd_header(
    std::span<const std::uint8_t> bytes) {
  return HeaderReader(as_text(bytes)).read();
}

std::string describe(const PcdFault& fault) {
  std::string place;
  if (fault.line > 0) place = "line " + std::to_string(fault.line) + ", ";
  return place + "byte " + std::to_string(fault.byte) + ": " + fault.text;
}

}  // namespace farwheel
