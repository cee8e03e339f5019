// law-rows: every row of the table of figures that concerns adaptive-bbr2's law, in virtual time,
// each figure beside its bound. Exit status 1 when a bound is missed. Built with the tests, not
// installed; farwheel-lab measures the same on ns-3.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "sim/law_scenario.h"

namespace farwheel::sim {
namespace {

struct Options {
  std::string row;
  int first_seed = 1;
  int seeds = 3;
  std::string startup = "both";
  std::string params;
  double seconds = 200;
  bool quiet = false;
};

// What one figure must keep to.
struct Figure {
  std::string name;
  double value;
  double bound;
  bool at_least;
  bool ok() const { return at_least ? value >= bound : value <= bound; }
};
Figure least(std::string name, double value, double bound) {
  return {std::move(name), value, bound, true};
}
Figure most(std::string name, double value, double bound) {
  return {std::move(name), value, bound, false};
}

class Table {
 public:
  explicit Table(const Options& options) : options_(options) {}

  bool wanted(const std::string& row) const {
    return options_.row.empty() || row.find(options_.row) != std::string::npos;
  }
  std::vector<StartupKind> startups() const {
    if (options_.startup == "fbe") return {StartupKind::kFbe};
    if (options_.startup == "classic") return {StartupKind::kClassic};
    return {StartupKind::kFbe, StartupKind::kClassic};
  }
  // Runs the scenario for each start-up and seed; `judge` says what it must keep to.
  template <typename Judge>
  void run(const std::string& row, const LawScenario& base, Judge judge) {
    if (!wanted(row)) return;
    for (const StartupKind startup : startups()) {
      for (int seed = options_.first_seed; seed < options_.first_seed + options_.seeds; ++seed) {
        LawScenario scenario = base;
        scenario.startup = startup;
        scenario.seed = static_cast<std::uint64_t>(seed);
        scenario.params = options_.params;
        if (scenario.seconds == 200) scenario.seconds = options_.seconds;
        LawRun run(scenario);
        run.finish();
        print(row, scenario, run, judge(run));
      }
    }
  }
  int finish() const {
    std::printf("\n%-34s %-10s %9s %9s %9s %9s\n", "row", "figure", "mean", "worst", "bound", "");
    bool failed = false;
    for (const std::string& row : order_) {
      for (const auto& [name, sum] : sums_.at(row)) {
        const bool ok = sum.missed == 0;
        failed = failed || !ok;
        std::printf("%-34s %-10s %9.4f %9.4f %s%9.4f  %s (%d of %d)\n", row.c_str(), name.c_str(),
                    sum.total / sum.count, sum.worst, sum.at_least ? ">=" : "<=", sum.bound,
                    ok ? "ok" : "MISSED", sum.count - sum.missed, sum.count);
      }
    }
    return failed ? 1 : 0;
  }

 private:
  struct Sum {
    double total = 0;
    int count = 0;
    int missed = 0;
    double worst = 0;
    double bound = 0;
    bool at_least = true;
  };

  void print(const std::string& row, const LawScenario& s, LawRun& run,
             const std::vector<Figure>& figures) {
    if (!sums_.contains(row)) order_.push_back(row);
    for (const Figure& f : figures) {
      Sum& sum = sums_[row][f.name];
      if (sum.count == 0 || (f.at_least ? f.value < sum.worst : f.value > sum.worst)) {
        sum.worst = f.value;
      }
      sum.total += f.value;
      ++sum.count;
      sum.missed += f.ok() ? 0 : 1;
      sum.bound = f.bound;
      sum.at_least = f.at_least;
    }
    if (options_.quiet) return;
    std::printf("%-32s %s s%d J %.4f U %.4f comp %d |", row.c_str(),
                s.startup == StartupKind::kFbe ? "fbe" : "cla", static_cast<int>(s.seed),
                run.jain(), run.utilisation(), run.competitions());
    for (std::size_t i = 0; i < run.flows.size(); ++i) {
      std::printf(" %.3f/+%.1f/+%.1f", run.share(i), run.owd_over_path_ms(i),
                  run.p95_over_path_ms(i));
    }
    for (const Figure& f : figures) {
      if (!f.ok()) std::printf(" !%s=%.4f(%.4f)", f.name.c_str(), f.value, f.bound);
    }
    std::printf("\n");
    std::fflush(stdout);
  }

  Options options_;
  std::vector<std::string> order_;
  std::map<std::string, std::map<std::string, Sum>> sums_;
};

std::string label(const char* format, double a, double b = 0, double c = 0) {
  char text[80];
  std::snprintf(text, sizeof text, format, a, b, c);
  return text;
}

void buffers(Table& table) {
  for (const double bdp :
       {0.2, 0.4, 0.6, 0.8, 1.0, 1.5, 2.0, 3.0, 5.0, 8.0, 10.0, 20.0, 30.0, 50.0, 80.0, 100.0}) {
    LawScenario s;
    s.buffer_bdp = bdp;
    table.run(label("buffer/%g", bdp), s, [](LawRun& r) {
      return std::vector{least("J", r.jain(), 0.993), least("U", r.utilisation(), 0.972),
                         most("OWD", r.worst_owd_over_path_ms(), 2.6),
                         most("p95", r.worst_p95_over_path_ms(), 4.5)};
    });
  }
}

void round_trips(Table& table) {
  for (int order = 0; order < 3; ++order) {
    for (double rtt = 10; rtt <= 100; rtt += 10) {
      LawScenario s;
      s.rtt_ms = {10, rtt};
      s.start_s = order == 0   ? std::vector{0.0, 0.0}
                  : order == 1 ? std::vector{0.0, 20.0}
                               : std::vector{20.0, 0.0};
      table.run(label("rtt/%g/order%g", rtt, order), s,
                [](LawRun& r) { return std::vector{least("J", r.jain(), 0.994)}; });
    }
  }
}

void many(Table& table) {
  const std::map<int, std::vector<double>> sets{{3, {10, 60, 100}},
                                                {5, {10, 30, 50, 70, 100}},
                                                {10, {10, 20, 30, 40, 50, 60, 70, 80, 90, 100}}};
  for (const auto& [n, rtts] : sets) {
    for (const double apart : {0.0, 5.0}) {
      LawScenario s;
      s.rtt_ms = rtts;
      for (int i = 0; i < n; ++i) s.start_s.push_back(apart * i);
      table.run(label("flows/%g/apart%g", n, apart), s, [n = n, apart](LawRun& r) {
        std::vector f{most("comp", r.competitions(), 0),
                      most("OWD", r.worst_owd_over_path_ms(), 1 + 1.5 * n)};
        // Staggered flows had the link for themselves for unequal times.
        if (apart == 0) f.push_back(least("J", r.jain(), 0.995));
        return f;
      });
    }
  }
}

void rates(Table& table) {
  for (const double mbps : {1.0, 2.0, 10.0, 20.0, 50.0, 100.0}) {
    LawScenario s;
    s.rate_mbps = mbps;
    table.run(label("rate/%g", mbps), s, [mbps](LawRun& r) {
      return std::vector{least("J", r.jain(), mbps > 50 ? 0.92 : 0.995),
                         least("U", r.utilisation(), 0.97),
                         most("OWD", r.worst_owd_over_path_ms(), 9.84 / mbps + 1.5)};
    });
  }
}

void jitter(Table& table) {
  const std::map<double, std::pair<double, double>> bounds{
      {1, {0.96, 0.95}}, {3, {0.93, 0.88}}, {8, {0.90, 0.75}}};
  for (const bool access : {false, true}) {
    for (const auto& [ms, bound] : bounds) {
      LawScenario s;
      (access ? s.access_jitter_ms : s.jitter_ms) = {0, ms};
      table.run(label(access ? "access-jitter/%g" : "jitter/%g", ms), s,
                [bound = bound](LawRun& r) {
                  return std::vector{least("J", r.jain(), bound.first),
                                     least("U", r.utilisation(), 0.95)};
                });
      s.rtt_ms = {50};
      (access ? s.access_jitter_ms : s.jitter_ms) = {ms};
      table.run(label(access ? "access-jitter-alone/%g" : "jitter-alone/%g", ms), s,
                [bound = bound](LawRun& r) {
                  return std::vector{least("U", r.utilisation(), bound.second)};
                });
    }
  }
}

void slots(Table& table) {
  for (const double mbps : {5.0, 20.0}) {
    for (const double slot : {2.5, 5.0, 10.0}) {
      for (const double harq : {0.0, 0.1}) {
        LawScenario s;
        s.rate_mbps = mbps;
        s.link.slot = TimeDelta::from_seconds(slot / 1e3);
        s.link.harq = harq;
        s.rtt_ms = {50};
        // Half a slot, and what a repeat holds up: itself and the grants behind it.
        double own = slot / 2;
        for (double late = 8; late > 0; late -= slot) own += harq * late;
        table.run(label("slots1/%gM/%gms/harq%g", mbps, slot, harq), s, [own](LawRun& r) {
          return std::vector{least("U", r.utilisation(), 0.95),
                             most("OWD", r.worst_owd_over_path_ms(), own + 8)};
        });
        s.rtt_ms = {10, 60};
        table.run(label("slots2/%gM/%gms/harq%g", mbps, slot, harq), s, [](LawRun& r) {
          return std::vector{least("J", r.jain(), 0.975),
                             most("OWD", r.worst_owd_over_path_ms(), 18)};
        });
      }
    }
  }
}

void policer(Table& table) {
  for (const double kilobytes : {15.0, 100.0}) {
    LawScenario s;
    s.rtt_ms = {50};
    s.rate_mbps = 100;
    s.link.policer_bucket = DataSize::from_bytes(static_cast<std::int64_t>(kilobytes * 1000));
    s.link.policer_rate = DataRate::from_mbps(5);
    s.changes.push_back({10, [](VirtualLink& l) { l.clear_counters(); }});
    table.run(label("policer/%g", kilobytes), s, [](LawRun& r) {
      const FlowCounters& c = r.link->counters(0);
      const double all = static_cast<double>(c.packets_dropped + c.packets_delivered);
      return std::vector{most("loss", static_cast<double>(c.packets_dropped) / all, 0.003),
                         least("use", r.flows[0]->mbps(10, 200) / 5, 0.92)};
    });
  }
}

void route(Table& table) {
  LawScenario s;
  s.rtt_ms = {40};
  s.changes.push_back({60, [](VirtualLink& l) {
                         l.set_extra_delay(0, TimeDelta::from_millis(30), TimeDelta::zero());
                       }});
  s.changes.push_back(
      {120, [](VirtualLink& l) { l.set_extra_delay(0, TimeDelta::zero(), TimeDelta::zero()); }});
  table.run("route/30", s, [](LawRun& r) {
    // Half seconds under 90 % of the link after each step.
    double slow = 0;
    for (const double step : {60.0, 120.0}) {
      double last = step;
      for (double t = step; t < step + 50; t += 0.5) {
        if (r.flows[0]->mbps(t, t + 0.5) < 0.9 * 0.9756 * 5) last = t + 0.5;
      }
      slow = std::max(slow, last - step);
    }
    return std::vector{most("relearn_s", slow, 6), most("comp", r.competitions(), 0)};
  });
}

void way_back(Table& table) {
  LawScenario s;
  s.rtt_ms = {50};
  s.seconds = 90;
  s.changes.push_back({30, [](VirtualLink& l) {
                         l.set_extra_delay(0, TimeDelta::zero(), TimeDelta::from_millis(80));
                       }});
  s.changes.push_back(
      {60, [](VirtualLink& l) { l.set_extra_delay(0, TimeDelta::zero(), TimeDelta::zero()); }});
  table.run("way-back/80", s, [](LawRun& r) {
    const double before = r.flows[0]->mbps(10, 30);
    return std::vector{least("rate", r.flows[0]->mbps(30, 60) / before, 0.9),
                       most("OWD", r.worst_owd_over_path_ms(), 5)};
  });
}

void cubic(Table& table) {
  for (const double own_rtt : {50.0, 100.0}) {
    for (const double bdp : {0.5, 2.0, 10.0}) {
      for (int order = 0; order < 3; ++order) {
        LawScenario s;
        s.rtt_ms = {own_rtt};
        s.buffer_bdp = bdp * 50 / std::max(50.0, own_rtt);
        s.start_s = {order == 2 ? 20.0 : 0.0};
        s.peers = {{PeerKind::kCubic, 50, order == 1 ? 20.0 : 0.0, 150}};
        const std::string row =
            label(own_rtt > 50 ? "cubic100/%gbdp/order%g" : "cubic/%gbdp/order%g", bdp, order);
        table.run(row, s, [=](LawRun& r) {
          const double from = order == 0 ? 0 : 20;
          const double own = r.flows[0]->mbps(from, 150) / 5;
          const double bound = own_rtt > 50 ? 0.20 : bdp > 5 ? 0.22 : 0.40;
          std::vector f{least("own", own, bound), least("events", r.competitions(), 1)};
          if (own_rtt <= 50 && bdp < 5) {
            const double peer =
                r.peers[0]->mbps(1) - (order == 1 ? 0 : 0);  // packets over one second
            f.push_back(least("peer", peer / (150 - (order == 1 ? 20 : 0)) / 5, 0.40));
          }
          if (bdp > 5) f.push_back(least("worst5s", r.flows[0]->worst_5s_mbps(from + 5, 150), 0.5));
          double back = 150;
          for (double t = 150; t < 190; t += 0.1) {
            if (r.flows[0]->highest_ms(t, t + 0.1) > r.path_ms(0) + 10) back = t + 0.1;
          }
          f.push_back(most("back_s", back - 150, 2));
          return f;
        });
      }
    }
  }
}

// A peer that hardly grows after a loss must be left its half, too.
void plain_cubic(Table& table) {
  for (const double bdp : {0.5, 2.0}) {
    for (int order = 0; order < 3; ++order) {
      LawScenario s;
      s.rtt_ms = {50};
      s.buffer_bdp = bdp;
      s.start_s = {order == 2 ? 20.0 : 0.0};
      s.peers = {{PeerKind::kPlainCubic, 50, order == 1 ? 20.0 : 0.0}};
      table.run(label("plain-cubic/%gbdp/order%g", bdp, order), s, [=](LawRun& r) {
        const double own = r.flows[0]->mbps(order == 0 ? 0 : 20, 200) / 5;
        const double peer = r.peers[0]->mbps(order == 1 ? 180 : 200) / 5;
        return std::vector{least("own", own, 0.40), least("peer", peer, 0.40)};
      });
    }
  }
}

void tcp_bbr(Table& table) {
  for (const double bdp : {2.0, 10.0}) {
    LawScenario s;
    s.rtt_ms = {50};
    s.buffer_bdp = bdp;
    s.peers = {{PeerKind::kBbr, 50, 0}};
    table.run(label("tcpbbr/%gbdp", bdp), s,
              [](LawRun& r) { return std::vector{least("own", r.share(0), 0.20)}; });
  }
}

void fair_queue(Table& table) {
  LawScenario s;
  s.rtt_ms = {50};
  s.link.fair = true;
  s.peers = {{PeerKind::kCubic, 50, 0}, {PeerKind::kCubic, 50, 0}};
  table.run("fq/2cubic", s,
            [](LawRun& r) { return std::vector{least("own", r.share(0) * 3 / 0.9756, 0.90)}; });
}

void skew(Table& table) {
  for (const double ppm : {-100.0, 100.0}) {
    LawScenario s;
    s.skew_ppm = {ppm, -ppm};
    table.run(label("skew/%g", ppm), s, [](LawRun& r) {
      return std::vector{least("J", r.jain(), 0.99), least("U", r.utilisation(), 0.96),
                         most("OWD", r.worst_owd_over_path_ms(), 4)};
    });
  }
}

void random_loss(Table& table) {
  for (const double share : {0.001, 0.01}) {
    LawScenario s;
    s.link.loss = share;
    s.rtt_ms = {50};
    table.run(label("loss/%g", share), s,
              [](LawRun& r) { return std::vector{least("U", r.utilisation(), 0.85)}; });
  }
}

int main(int argc, char** argv) {
  Options options;
  CLI::App app{"The default law's figures on a simulated bottleneck, each beside its bound"};
  app.add_option("--row", options.row, "only rows whose name contains this");
  app.add_option("--seed", options.first_seed, "first seed")->capture_default_str();
  app.add_option("--seeds", options.seeds, "how many seeds")->capture_default_str();
  app.add_option("--startup", options.startup, "fbe, classic or both")
      ->check(CLI::IsMember({"fbe", "classic", "both"}));
  app.add_option("--params", options.params, "controller's tunables, name=value,...");
  app.add_option("--duration", options.seconds, "seconds of the rows of 200 s")
      ->capture_default_str();
  app.add_flag("--quiet", options.quiet, "only the summary");
  CLI11_PARSE(app, argc, argv);
  Table table(options);
  for (const auto row : {buffers, round_trips, many, rates, jitter, slots, policer, route, way_back,
                         cubic, plain_cubic, tcp_bbr, fair_queue, skew, random_loss}) {
    row(table);
  }
  return table.finish();
}

}  // namespace
}  // namespace farwheel::sim

int main(int argc, char** argv) {
  return farwheel::sim::main(argc, argv);
}
