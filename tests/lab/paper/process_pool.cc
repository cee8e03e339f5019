#include "paper/process_pool.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <map>
#include <stdexcept>

namespace farwheel::lab {
namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

constexpr int kBarWidth = 30;

// The child writes its result into a file without a name, which holds any size.
struct Child {
  std::size_t job;
  std::FILE* result;
};

[[noreturn]] void be_child(const Job& job, std::FILE* result) {
  int status = 1;
  try {
    const std::string text = job.run().dump();
    if (std::fwrite(text.data(), 1, text.size(), result) == text.size() &&
        std::fflush(result) == 0) {
      status = 0;
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "\n%s: %s\n", job.name.c_str(), error.what());
  }
  std::fflush(stderr);
  _exit(status);
}

Json read_result(std::FILE* file) {
  std::string text;
  char part[65536];
  std::rewind(file);
  while (const std::size_t size = std::fread(part, 1, sizeof part, file)) text.append(part, size);
  return Json::parse(text, nullptr, false);
}

void show_progress(std::size_t done, std::size_t all, Clock::time_point began) {
  const auto filled = static_cast<int>(kBarWidth * done / all);
  const double seconds = std::chrono::duration<double>(Clock::now() - began).count();
  std::string bar(static_cast<std::size_t>(filled), '#');
  bar.resize(kBarWidth, '.');
  std::fprintf(stderr, "\r[%s] %zu/%zu runs, %.0f s", bar.c_str(), done, all, seconds);
  if (done > 0 && done < all) {
    std::fprintf(stderr, ", about %.0f s to go ",
                 seconds / static_cast<double>(done) * static_cast<double>(all - done));
  } else {
    std::fprintf(stderr, "%*s", 22, "");
  }
  std::fflush(stderr);
}

}  // namespace

std::vector<Json> run_jobs(const std::vector<Job>& jobs, int at_a_time, Progress progress) {
  std::vector<Json> results(jobs.size());
  std::map<pid_t, Child> children;
  std::string failed;
  std::size_t next = 0;
  std::size_t done = 0;
  const Clock::time_point began = Clock::now();
  while (done < jobs.size()) {
    while (next < jobs.size() && std::ssize(children) < at_a_time) {
      std::FILE* result = std::tmpfile();
      const pid_t child = result == nullptr ? -1 : fork();
      if (child < 0)
        throw std::runtime_error(std::string("no process for a run: ") + strerror(errno));
      if (child == 0) be_child(jobs[next], result);
      children.emplace(child, Child{next++, result});
    }
    if (progress == Progress::kShown) show_progress(done, jobs.size(), began);
    int status = 0;
    const pid_t ended = waitpid(-1, &status, 0);
    const auto child = children.find(ended);
    if (child == children.end()) continue;
    Json& result = results[child->second.job];
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) result = read_result(child->second.result);
    if ((result.is_null() || result.is_discarded()) && failed.empty()) {
      failed = jobs[child->second.job].name;
    }
    std::fclose(child->second.result);
    children.erase(child);
    ++done;
  }
  if (!jobs.empty() && progress == Progress::kShown) {
    show_progress(done, jobs.size(), began);
    std::fputc('\n', stderr);
  }
  if (!failed.empty()) throw std::runtime_error("the run '" + failed + "' failed");
  return results;
}

}  // namespace farwheel::lab
