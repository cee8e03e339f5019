#include "radar_files.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace farwheel {

namespace fs = std::filesystem;

std::vector<std::string> read_radar_files(const std::string& path) {
  std::vector<fs::path> files;
  std::error_code error;
  if (fs::is_directory(path, error)) {
    for (const auto& entry : fs::directory_iterator(path, error)) {
      if (entry.path().extension() == ".pcd") files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    if (files.empty())
      throw std::runtime_error("--radar " + path + ": no .pcd file in this folder");
  } else if (fs::is_regular_file(path, error)) {
    files.emplace_back(path);
  } else {
    throw std::runtime_error("--radar " + path + ": no such file or folder");
  }

  std::vector<std::string> sweeps;
  for (const fs::path& file : files) {
    std::ifstream stream(file, std::ios::binary);
    sweeps.emplace_back(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
    if (!stream) throw std::runtime_error("--radar " + file.string() + ": cannot be read");
  }
  return sweeps;
}

}  // namespace farwheel
