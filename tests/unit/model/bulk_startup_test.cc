// Start-up by trains of a flow that fills the path, in virtual time: issue 3's figures on the small
// simulator, which agrees with ns-3 on CUBIC's and classic start-up's (tests/bench/startup_grid.cc
// prints the whole table).
#include <gtest/gtest.h>

#include "sim/startup_run.h"

namespace farwheel {
namespace {

using sim::StartupCase;
using sim::StartupResult;
using sim::StartupRun;

double window_ms(double mbps) {
  return 10 * sim::ModelFlow::kPacketBytes * 8 / mbps / 1e3;
}

// The first window goes out and comes back; the second train fills the link from then on.
TEST(BulkStartup, AnIdleLinkIsFullFromTheSecondTrainOn) {
  for (const double mbps : {2.0, 20.0, 50.0, 100.0}) {
    for (const double rtt : {10.0, 20.0, 50.0, 100.0, 200.0}) {
      StartupCase c;
      c.mbps = mbps;
      c.rtt_ms = rtt;
      c.buffer_bdp = std::max(1.0, 1.2 * window_ms(mbps) / rtt);
      const StartupResult r = StartupRun(c).measure();
      EXPECT_NEAR(r.estimate_mbps, mbps, mbps * 0.02) << rtt;
      EXPECT_LE(r.max_queue_ms, window_ms(mbps) + 1) << mbps << ' ' << rtt;
      EXPECT_EQ(r.packets_lost, 0) << mbps << ' ' << rtt;
      ASSERT_TRUE(r.fct_ms);
      const double ideal = rtt * 1.5 + 524288.0 / 1200 * 1230 * 8 / mbps / 1e3;
      EXPECT_LE(*r.fct_ms, ideal * 1.03 + window_ms(mbps)) << mbps << ' ' << rtt;
      ASSERT_TRUE(r.convergence_ms);
      EXPECT_LE(*r.convergence_ms, rtt + window_ms(mbps) + 2 * std::max(20.0, rtt / 2))
          << mbps << ' ' << rtt;
    }
  }
}

// With reports on many packets the receiver's 250-us stamps are all there is.
TEST(BulkStartup, ReportsInBatchesCostLittle) {
  for (const double mbps : {5.0, 20.0, 100.0}) {
    StartupCase c;
    c.mbps = mbps;
    c.report_interval = TimeDelta::from_millis(10);
    const StartupResult r = StartupRun(c).measure();
    EXPECT_NEAR(r.estimate_mbps, mbps, mbps * 0.15);
    EXPECT_EQ(r.packets_lost, 0) << mbps;
    EXPECT_LE(r.max_queue_ms, 15 + window_ms(mbps)) << mbps;
  }
}

TEST(BulkStartup, CrossTrafficIsLeftItsShare) {
  double queue_bdp = 0;
  int converged = 0;
  for (const double mbps : {20.0, 50.0, 100.0}) {
    for (const double rtt : {20.0, 50.0, 100.0}) {
      StartupCase c;
      c.mbps = mbps;
      c.rtt_ms = rtt;
      c.cross = 0.3;
      c.buffer_bdp = 1.5;
      const StartupResult r = StartupRun(c).measure();
      queue_bdp += r.max_queue_ms / rtt / 9;
      if (r.convergence_ms && *r.convergence_ms <= 2.5 * std::max(20.0, rtt)) ++converged;
      EXPECT_NEAR(r.estimate_mbps, mbps, mbps * 0.15);
      EXPECT_EQ(r.packets_lost, 0);
    }
  }
  EXPECT_LE(queue_bdp, 0.5);
  EXPECT_GE(converged, 6);
}

TEST(BulkStartup, UplinkSlotsAreMeasuredWithinFifteenPercent) {
  int outside = 0;
  int cells = 0;
  for (const double mbps : {5.0, 20.0}) {
    for (const double slot : {2.5, 5.0, 10.0}) {
      for (const double harq : {0.0, 0.1}) {
        for (std::uint64_t seed = 1; seed <= 3; ++seed) {
          StartupCase c;
          c.mbps = mbps;
          c.slot_ms = slot;
          c.harq = harq;
          c.seed = seed;
          const StartupResult r = StartupRun(c).measure();
          const bool is_outside = std::abs(r.estimate_mbps - mbps) > mbps * 0.15;
          if (harq == 0) {
            EXPECT_FALSE(is_outside) << mbps << " slot " << slot << ": " << r.estimate_mbps;
          }
          ++cells;
          outside += is_outside ? 1 : 0;
          c.startup = StartupKind::kClassic;
          if (r.packets_lost > 0) {
            EXPECT_GT(StartupRun(c).measure().packets_lost, 0) << mbps << " slot " << slot;
          }
        }
      }
    }
  }
  EXPECT_LE(outside, cells / 12);
}

// The interface's queue is read every 10 ms and after each report, as the element does.
TEST(BulkStartup, AHalvedInterfaceMakesNoLongQueue) {
  for (const double rtt : {20.0, 50.0, 100.0}) {
    for (const double at : {0.1, 0.22, 0.4, 1.0}) {
      StartupCase c;
      c.mbps = 20;
      c.rtt_ms = rtt;
      c.buffer_bdp = 4;
      c.halve_at_s = at;
      EXPECT_LE(StartupRun(c).measure().max_queue_halved_ms, 10) << rtt << " ms, at " << at;
    }
  }
}

// Short grants and repeats leave few busy intervals, and those may tell a quarter of the rate: what
// whole rounds brought keeps the search from resting on them.
TEST(BulkStartup, FewBusyIntervalsDoNotHoldTheSearchDown) {
  int low = 0;
  for (const double rtt : {50.0, 100.0}) {
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
      StartupCase c;
      c.mbps = 20;
      c.rtt_ms = rtt;
      c.slot_ms = 2.5;
      c.harq = 0.1;
      c.seed = seed;
      low += StartupRun(c).measure().estimate_mbps < c.mbps * 0.6 ? 1 : 0;
    }
  }
  EXPECT_EQ(low, 0);
}

// A first window that the buffer cannot take: measured all the same, and not repeated.
TEST(BulkStartup, AShallowBufferEndsInNoStorm) {
  StartupCase c;
  c.mbps = 5;
  c.rtt_ms = 50;
  c.buffer_bdp = 0.2;
  const StartupResult fbe = StartupRun(c).measure();
  c.startup = StartupKind::kClassic;
  const StartupResult classic = StartupRun(c).measure();
  EXPECT_LE(fbe.packets_lost, classic.packets_lost + 10);
  EXPECT_NE(fbe.state, BbrState::kStartup);
}

TEST(BulkStartup, EveryAlgorithmMayStartSo) {
  for (const Algorithm algorithm :
       {Algorithm::kBbr2, Algorithm::kAdaptiveBbr2Paper, Algorithm::kAdaptiveBbr2}) {
    StartupCase c;
    c.algorithm = algorithm;
    const StartupResult r = StartupRun(c).measure();
    EXPECT_NEAR(r.estimate_mbps, 20, 1);
    EXPECT_NE(r.state, BbrState::kStartup);
    EXPECT_LE(r.fct_ms.value_or(9999), 320);
  }
}

}  // namespace
}  // namespace farwheel
