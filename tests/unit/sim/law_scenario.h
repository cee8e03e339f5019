// One run of the table of figures: a link, bulk flows of ours, peers, what changes on the way, and
// what came of it, measured as `measures.md` words it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sim/bulk_flow.h"
#include "sim/tcp_peer.h"

namespace farwheel::sim {

struct LawScenario {
  std::vector<double> rtt_ms{10, 60};
  std::vector<double> start_s{};  // zero where missing
  std::vector<double> jitter_ms{};
  std::vector<double> access_jitter_ms{};
  std::vector<double> skew_ppm{};
  double rate_mbps = 5;
  double buffer_bdp = 10;
  LinkConfig link{};
  double seconds = 200;
  StartupKind startup = StartupKind::kFbe;
  std::uint64_t seed = 1;
  std::string params{};
  struct Peer {
    PeerKind kind;
    double rtt_ms;
    double start_s;
    double stop_s = 1e9;
  };
  std::vector<Peer> peers{};
  // What else happens, by time in seconds.
  struct Change {
    double at_s;
    std::function<void(VirtualLink&)> apply;
  };
  std::vector<Change> changes{};
};

// The run itself, so that a caller may look at any time; finish() runs to the end.
class LawRun {
 public:
  explicit LawRun(LawScenario scenario);
  void run_to(double seconds) { events.run_until(Timestamp::from_seconds(seconds)); }
  void finish() { run_to(scenario_.seconds); }

  // From each flow's own throughput over its active time.
  double jain() const;
  // Payload of ours and of peers over the link's rate.
  double utilisation() const;
  double share(std::size_t flow) const;  // of the link's rate
  double path_ms(std::size_t flow) const;
  double owd_over_path_ms(std::size_t flow) const;
  double p95_over_path_ms(std::size_t flow) const;
  double worst_owd_over_path_ms() const;
  double worst_p95_over_path_ms() const;
  // Events of that kind that the flow reported.
  int competitions(std::size_t flow);
  int competitions();

  EventQueue events;
  std::unique_ptr<VirtualLink> link;
  std::vector<std::unique_ptr<BulkFlow>> flows;
  std::vector<std::unique_ptr<TcpPeer>> peers;

 private:
  LawScenario scenario_;
};

}  // namespace farwheel::sim
