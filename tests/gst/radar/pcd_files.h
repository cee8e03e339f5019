// Point cloud files for the tests: made here, changed one line at a time; and the recordings in
// ../shared/data, where they are.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace farwheel::testing {

using Bytes = std::vector<std::uint8_t>;

inline Bytes to_bytes(std::string_view text) {
  return Bytes(text.begin(), text.end());
}

// Three points: x y z rcs vx vy.
inline const std::string kAsciiPcd =
    "# .PCD v0.7 - Point Cloud Data file format\n"
    "VERSION 0.7\n"
    "FIELDS x y z rcs vx vy\n"
    "SIZE 4 4 4 4 4 4\n"
    "TYPE F F F F F F\n"
    "COUNT 1 1 1 1 1 1\n"
    "WIDTH 3\n"
    "HEIGHT 1\n"
    "VIEWPOINT 0 0 0 1 0 0 0\n"
    "POINTS 3\n"
    "DATA ascii\n"
    "10.5 -2.25 0.5 12.5 -25.125 5.5\n"
    "100 20 1 -3 -24 -4.75\n"
    "285.25 14.5 11.5 14 -6.25 -0.25\n";

inline std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const auto at = text.find(from);
  if (at == std::string::npos) std::abort();  // the test itself is wrong
  return text.replace(at, from.size(), to);
}

template <typename T>
void append_raw(Bytes& bytes, T value) {
  const auto at = bytes.size();
  bytes.resize(at + sizeof value);
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

// kAsciiPcd's points as DATA binary.
inline Bytes binary_pcd() {
  const auto data = kAsciiPcd.find("DATA");
  Bytes bytes = to_bytes(kAsciiPcd.substr(0, data) + "DATA binary\n");
  for (float value : {10.5f, -2.25f, 0.5f, 12.5f, -25.125f, 5.5f, 100.f, 20.f, 1.f, -3.f, -24.f,
                      -4.75f, 285.25f, 14.5f, 11.5f, 14.f, -6.25f, -0.25f}) {
    append_raw(bytes, value);
  }
  return bytes;
}

// Other people's recordings, which the project doesn't hold: FARWHEEL_SHARED, or `shared` beside
// the source tree. Nothing: not here.
inline std::optional<std::string> shared_path(const std::string& name) {
  std::vector<std::string> roots;
  if (const char* set = std::getenv("FARWHEEL_SHARED")) roots.emplace_back(set);
  roots.emplace_back(FARWHEEL_SOURCE_ROOT "/../shared");
  for (const auto& root : roots) {
    std::string path = root + "/data/" + name;
    if (std::filesystem::exists(path)) return path;
  }
  return std::nullopt;
}

inline Bytes file_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return Bytes(std::istreambuf_iterator<char>(file), {});
}

}  // namespace farwheel::testing
