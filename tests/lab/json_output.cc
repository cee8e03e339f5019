#include "json_output.h"

#include <cerrno>
#include <cstring>

#include "option_values.h"

namespace farwheel::lab {

JsonOutput::JsonOutput(const std::string& file)
    : name_(file), file_(file == "-" ? stdout : std::fopen(file.c_str(), "w")) {
  if (file_ == nullptr) {
    throw OptionError("--json: cannot write '" + file + "': " + std::strerror(errno) +
                      "; name a file in a folder that exists, or - for standard output");
  }
}

JsonOutput::~JsonOutput() {
  if (file_ != stdout) std::fclose(file_);
}

void JsonOutput::write(const nlohmann::ordered_json& json) {
  const std::string text = json.dump(2) + "\n";
  const bool is_written = std::fwrite(text.data(), 1, text.size(), file_) == text.size();
  if (!is_written || std::fflush(file_) != 0) {
    throw std::runtime_error("--json: writing to '" + name_ + "' failed: " + std::strerror(errno));
  }
}

}  // namespace farwheel::lab
