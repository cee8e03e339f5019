// One sender of `farwheel-lab startup`, alone on its link or beside the cross traffic: one
// simulation.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "bulk_flow.h"
#include "cross_traffic.h"
#include "network.h"
#include "startup_run.h"
#include "tcp_flow.h"

namespace farwheel::lab {

class StartupTrial {
 public:
  // `sender`: one of StartupConfig::senders. `bytes`: of the transfer; empty for one without end.
  // The configuration must outlive it.
  StartupTrial(const StartupConfig& config, const std::string& sender,
               std::optional<std::int64_t> bytes);

  // Runs until `is_done`, or until so many seconds have passed.
  void run(double most_s, const std::function<bool()>& is_done);

  // From the first packet to the last byte received; of TCP, without its handshake.
  std::optional<double> completion_s() const;
  // measures.md: a window at 90 % of what is free, the next four at 88 %.
  std::optional<double> convergence_s() const;
  // The rounds are over in which the queue counts as the start-up's.
  bool has_queue() const { return has_queue_; }
  double max_queue_ms() const { return max_queue_ms_; }
  // Most that stood in the sender's own interface from the halving on, at the halved rate.
  double local_queue_ms() const;
  double loss() const;
  // What the sender took for the link's rate after those rounds; of TCP, nothing.
  std::optional<double> estimate_mbps() const { return estimate_; }
  std::optional<double> confidence() const { return confidence_; }

 private:
  void add_tcp(const EndPair& pair, PeerKind kind, std::optional<std::int64_t> bytes);
  void add_bulk(const EndPair& pair, const std::string& sender, std::optional<std::int64_t> bytes);
  void watch_driver_queue(const EndPair& pair);
  void on_local_queue(std::uint32_t before, std::uint32_t now);
  void begin();
  void note_queue();

  const StartupConfig& config_;
  Network network_;
  double rtt_s_;
  std::unique_ptr<CrossTraffic> cross_;
  std::unique_ptr<TcpFlow> tcp_;
  std::unique_ptr<BulkFlow> bulk_;
  std::int64_t packets_ = 0;
  bool has_queue_ = false;
  double max_queue_ms_ = 0;
  std::uint32_t local_queue_bytes_ = 0;
  std::optional<double> estimate_;
  std::optional<double> confidence_;
};

}  // namespace farwheel::lab
