// Runs jobs in child processes, some at a time: ns-3's state is global, so that every simulation
// gets a process of its own. Shows a progress bar on standard error.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace farwheel::lab {

struct Job {
  std::string name;
  std::function<nlohmann::ordered_json()> run;
};

enum class Progress { kShown, kHidden };  // a bar on standard error

// The results in the jobs' order. Throws std::runtime_error naming the first job that failed, after
// the others have ended.
std::vector<nlohmann::ordered_json> run_jobs(const std::vector<Job>& jobs, int at_a_time,
                                             Progress progress);

}  // namespace farwheel::lab
