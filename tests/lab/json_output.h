// Where the figures go: a file, or standard output for "-".
#pragma once

#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

namespace farwheel::lab {

class JsonOutput {
 public:
  // Opens at once, so that a name that cannot be written is told before a long run and not after
  // it. Throws OptionError.
  explicit JsonOutput(const std::string& file);
  ~JsonOutput();
  JsonOutput(const JsonOutput&) = delete;
  JsonOutput& operator=(const JsonOutput&) = delete;

  // Throws std::runtime_error if the medium is full.
  void write(const nlohmann::ordered_json& json);

 private:
  std::string name_;
  std::FILE* file_;
};

}  // namespace farwheel::lab
