// A text file being written; whatever goes wrong with it is one exception that names it.
#pragma once

#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace farwheel::lab {

class TextFile {
 public:
  explicit TextFile(const std::filesystem::path& path) : path_(path), stream_(path) {
    if (!stream_) throw std::runtime_error("cannot write '" + path.string() + "'");
  }
  std::ostream& stream() { return stream_; }
  void close() {
    stream_.close();
    if (!stream_) throw std::runtime_error("writing '" + path_.string() + "' failed");
  }

 private:
  std::filesystem::path path_;
  std::ofstream stream_;
};

}  // namespace farwheel::lab
