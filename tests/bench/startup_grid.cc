// Start-up over the grid of 20/50/100 Mbit/s and 20/50/100 ms in the unit tests' simulator, idle or
// with Poisson cross traffic, beside what CUBIC and TcpBbr took on ns-3 (shared notes on the lab's
// scenarios, section 7); then uplinks of slots and a driver queue halved. farwheel-lab `startup`
// measures the same on ns-3 with the peers in the run. A program to run by hand: it judges nothing.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "sim/startup_run.h"

namespace {

using farwheel::StartupKind;
using farwheel::sim::StartupCase;
using farwheel::sim::StartupResult;
using farwheel::sim::StartupRun;

struct Peers {
  double mbps, rtt_ms;
  double cubic_conv, bbr_conv, cubic_fct, bbr_fct;
};
constexpr Peers kIdle[] = {
    {20, 20, 170, 110, 252, 648},   {20, 50, 175, 225, 446, 464},  {20, 100, 450, 550, 603, 633},
    {50, 20, 190, 1310, 178, 186},  {50, 50, 275, 300, 296, 311},  {50, 100, 650, 700, 571, 620},
    {100, 20, 210, 1770, 121, 127}, {100, 50, 325, 350, 286, 310}, {100, 100, 750, 800, 561, 619}};
constexpr Peers kCross[] = {
    {20, 20, 70, 70, 770, 2844},   {20, 50, 150, 212, 486, 476},  {20, 100, 400, 500, 628, 652},
    {50, 20, 90, 90, 180, 199},    {50, 50, 225, 275, 299, 318},  {50, 100, 550, 600, 574, 619},
    {100, 20, 110, 110, 126, 130}, {100, 50, 275, 312, 288, 310}, {100, 100, 650, 725, 562, 620}};

double mean(const std::vector<double>& v) {
  double sum = 0;
  for (double x : v) sum += x;
  return v.empty() ? 0 : sum / static_cast<double>(v.size());
}
double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v.empty() ? 0 : v[v.size() / 2];
}

void grid(const Peers (&cells)[9], double cross, int seeds, const StartupCase& base) {
  std::vector<double> gains[4];
  std::vector<double> queue_bdp;
  std::printf("cross %.2f: conv ms | fct ms | max queue ms (initial window's) | estimate | lost\n",
              cross);
  for (const Peers& peers : cells) {
    double conv = 0, fct = 0, queue = 0, estimate = 0, lost = 0, worst = 0;
    for (int seed = 1; seed <= seeds; ++seed) {
      StartupCase c = base;
      c.mbps = peers.mbps, c.rtt_ms = peers.rtt_ms, c.cross = cross;
      c.buffer_bdp = cross > 0 ? 1.5 : 1.0;
      c.seed = static_cast<std::uint64_t>(seed);
      const StartupResult r = StartupRun(c).measure();
      conv += r.convergence_ms.value_or(2000) / seeds;
      fct += r.fct_ms.value_or(2000) / seeds;
      queue += r.max_queue_ms / seeds;
      worst = std::max(worst, r.max_queue_ms);
      estimate += r.estimate_mbps / seeds;
      lost += static_cast<double>(r.packets_lost) / seeds;
    }
    gains[0].push_back(1 - conv / peers.cubic_conv);
    gains[1].push_back(1 - conv / peers.bbr_conv);
    gains[2].push_back(1 - fct / peers.cubic_fct);
    gains[3].push_back(1 - fct / peers.bbr_fct);
    queue_bdp.push_back(queue / peers.rtt_ms);
    std::printf(
        "  %3.0f %3.0f | %6.1f (%.0f/%.0f) | %6.1f (%.0f/%.0f) | %5.1f worst %5.1f (%.1f) | %6.1f "
        "| %.1f\n",
        peers.mbps, peers.rtt_ms, conv, peers.cubic_conv, peers.bbr_conv, fct, peers.cubic_fct,
        peers.bbr_fct, queue, worst, 10 * 9.84 / peers.mbps, estimate, lost);
  }
  const char* names[] = {"convergence, CUBIC", "convergence, TcpBbr", "FCT, CUBIC", "FCT, TcpBbr"};
  for (std::size_t i = 0; i < 4; ++i) {
    std::printf("  shorter than %-20s mean %5.1f %% median %5.1f %%\n", names[i],
                100 * mean(gains[i]), 100 * median(gains[i]));
  }
  std::printf("  max queue, mean of cells: %.2f BDP\n", mean(queue_bdp));
}

void slots(int seeds, const StartupCase& base) {
  std::printf(
      "slots: mean (least..most) of estimate/rate | lost (classic's) | conv | fct (classic)\n");
  for (double mbps : {5.0, 20.0, 50.0}) {
    for (double slot : {0.0, 2.5, 5.0, 10.0}) {
      for (double harq : {0.0, 0.1}) {
        double least = 1e9, most = 0, sum = 0, lost = 0, classic = 0, conv = 0, fct = 0, cfct = 0,
               at = 0;
        int outside = 0;
        for (int seed = 1; seed <= seeds; ++seed) {
          StartupCase c = base;
          c.mbps = mbps, c.rtt_ms = base.rtt_ms, c.slot_ms = slot, c.harq = harq;
          c.seed = static_cast<std::uint64_t>(seed);
          const StartupResult r = StartupRun(c).measure();
          const double ratio = r.estimate_mbps / mbps;
          least = std::min(least, ratio), most = std::max(most, ratio), sum += ratio / seeds;
          outside += ratio < 0.85 || ratio > 1.15;
          lost += static_cast<double>(r.packets_lost) / seeds;
          conv += r.convergence_ms.value_or(2000) / seeds;
          fct += r.fct_ms.value_or(2000) / seeds;
          at += r.estimated_at_ms / seeds;
          c.startup = StartupKind::kClassic;
          const StartupResult k = StartupRun(c).measure();
          classic += static_cast<double>(k.packets_lost) / seeds;
          cfct += k.fct_ms.value_or(2000) / seeds;
        }
        std::printf(
            "  %3.0f slot %4.1f harq %.1f | %.2f (%.2f..%.2f) outside %2d at %4.0f ms | %5.1f "
            "(%5.1f) | %6.1f | %6.1f (%6.1f)\n",
            mbps, slot, harq, sum, least, most, outside, at, lost, classic, conv, fct, cfct);
      }
    }
  }
}

void driver(const StartupCase& base) {
  for (double rtt : {20.0, 50.0, 100.0}) {
    for (double at : {0.1, 0.2, 0.22, 0.25, 0.5, 1.0}) {
      StartupCase c = base;
      c.mbps = 20, c.rtt_ms = rtt, c.halve_at_s = at, c.buffer_bdp = 4;
      const StartupResult r = StartupRun(c).measure();
      std::printf(
          "  driver queue, 20 Mbit/s halved at %.2f s, RTT %.0f: longest %.1f ms, fct %.1f\n", at,
          rtt, r.max_queue_halved_ms, r.fct_ms.value_or(2000));
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  StartupCase base;
  int seeds = 3;
  std::string_view what = argc > 1 ? argv[1] : "all";
  if (argc > 2) seeds = std::atoi(argv[2]);
  if (argc > 3) base.rtt_ms = std::atof(argv[3]);
  if (argc > 4 && std::string_view(argv[4]) == "classic") base.startup = StartupKind::kClassic;
  if (argc > 4 && std::string_view(argv[4]) == "bbr2") base.algorithm = farwheel::Algorithm::kBbr2;
  if (what == "all" || what == "idle") grid(kIdle, 0, seeds, base);
  if (what == "all" || what == "cross") grid(kCross, 0.3, seeds, base);
  if (what == "all" || what == "slots") slots(seeds, base);
  if (what == "all" || what == "driver") driver(base);
}
