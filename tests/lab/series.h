// Writes what every flow and peer does over time as comma-separated values, one line a flow and
// step.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bulk_flow.h"
#include "lab_config.h"
#include "tcp_flow.h"

namespace farwheel::lab {

class SeriesRecorder {
 public:
  using Flows = std::vector<std::unique_ptr<BulkFlow>>;
  using Peers = std::vector<std::unique_ptr<TcpFlow>>;
  // The lists must outlive it. Does nothing where the run wants no series.
  SeriesRecorder(const RunConfig& run, const Flows& flows, const Peers& peers);

  // After the run. Throws OptionError if the file cannot be written.
  void write() const;

 private:
  void sample();

  const RunConfig& run_;
  const Flows& flows_;
  const Peers& peers_;
  std::vector<std::vector<SenderState>> states_;  // [step][flow]
};

}  // namespace farwheel::lab
