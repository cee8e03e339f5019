#include "paper_command.h"

#include <cstdio>
#include <memory>
#include <thread>

#include "option_values.h"
#include "options.h"
#include "paper/experiments.h"
#include "paper/figures.h"
#include "paper/report.h"

namespace farwheel::lab {
namespace {

struct PaperTexts {
  std::string out;
  std::string jobs;
  std::string wifi;
  std::string seed = "1";
  bool is_quick = false;
};

PaperConfig read_paper(const PaperTexts& texts) {
  PaperConfig config;
  config.out = texts.out;
  config.is_quick = texts.is_quick;
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  config.jobs = texts.jobs.empty() ? static_cast<int>(cores)
                                   : static_cast<int>(read_number("-j", texts.jobs, {1, 256}));
  if (!texts.wifi.empty()) config.has_wifi = read_number("--wifi", texts.wifi, {2, 2}) > 0;
  config.seed = read_seed(texts.seed);
  std::error_code fault;
  for (const char* part : {"data", "figures"}) {
    std::filesystem::create_directories(config.out / part, fault);
    if (fault) {
      throw OptionError("--out: cannot make '" + (config.out / part).string() +
                        "': " + fault.message() + "; name a folder that may be written");
    }
  }
  return config;
}

}  // namespace

void add_paper_command(CLI::App& app) {
  auto texts = std::make_shared<PaperTexts>();
  CLI::App* paper =
      app.add_subcommand("paper", "The papers' experiments, with tables and pictures");
  paper->add_option("--out", texts->out, "Folder for CSV, report.md and figures/")->required();
  paper->add_flag("--quick", texts->is_quick, "Fewer cells, 60 s each");
  paper->add_option("-j", texts->jobs, "Runs at a time (default: one a core)");
  paper->add_option("--wifi", texts->wifi, "2: L2 behind 802.11n, as in the paper (slower)");
  paper->add_option("--seed", texts->seed, "Moves starts and draws")->capture_default_str();
  paper->callback([texts] {
    const PaperConfig config = read_paper(*texts);
    const PaperResults results = run_experiments(config);
    write_tables(config, results);
    write_report(config, results);
    if (!draw_figures(config)) {
      std::fprintf(stderr,
                   "farwheel-lab: no gnuplot, so no pictures; install gnuplot-nox, then run "
                   "gnuplot fig*.gp in '%s'\n",
                   (config.out / "figures").c_str());
    }
    std::printf("%s\n", (config.out / "report.md").c_str());
  });
}

}  // namespace farwheel::lab
