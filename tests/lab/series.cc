#include "series.h"

#include <cstdio>

#include "lab_time.h"
#include "option_values.h"

namespace farwheel::lab {

SeriesRecorder::SeriesRecorder(const RunConfig& run, const Flows& flows, const Peers& peers)
    : run_(run), flows_(flows), peers_(peers) {
  if (run_.series_file.empty()) return;
  ns3::Simulator::Schedule(simulator_time(run_.series_step_s), &SeriesRecorder::sample, this);
}

void SeriesRecorder::sample() {
  std::vector<SenderState>& step = states_.emplace_back();
  for (const auto& flow : flows_) step.push_back(flow->state());
  ns3::Simulator::Schedule(ns3::Seconds(run_.series_step_s), &SeriesRecorder::sample, this);
}

void SeriesRecorder::write() const {
  if (run_.series_file.empty()) return;
  std::FILE* file = std::fopen(run_.series_file.c_str(), "w");
  if (file == nullptr) {
    throw OptionError("--series: cannot write '" + run_.series_file +
                      "'; name a file in a folder that exists");
  }
  std::fprintf(file,
               "time_s,flow,throughput_mbps,owd_mean_ms,owd_max_ms,lost,state,pacing_mbps,bw_mbps,"
               "cwnd_bytes,inflight_bytes,queue_delay_ms\n");
  for (std::size_t i = 0; i < states_.size(); ++i) {
    const double from = run_.series_step_s * static_cast<double>(i);
    const double to = from + run_.series_step_s;
    for (std::size_t flow = 0; flow < flows_.size(); ++flow) {
      const FlowLog& log = flows_[flow]->log();
      const OwdFigures owd = log.owd(from, to);
      const SenderState& state = states_[i][flow];
      std::fprintf(file, "%.3f,%zu,%.4f,%.3f,%.3f,%lld,%s,%.4f,%.4f,%lld,%lld,%.3f\n", to, flow + 1,
                   log.throughput_mbps(from, to), owd.mean_ms, owd.max_ms,
                   static_cast<long long>(log.lost(from, to)), state.state.c_str(),
                   state.pacing_mbps, state.bw_mbps, static_cast<long long>(state.cwnd_bytes),
                   static_cast<long long>(state.inflight_bytes), state.queue_delay_ms);
    }
    for (std::size_t peer = 0; peer < peers_.size(); ++peer) {
      std::fprintf(file, "%.3f,%s%zu,%.4f,,,,,,,,,\n", to, to_string(peers_[peer]->kind()),
                   peer + 1, peers_[peer]->arrivals().throughput_mbps(from, to));
    }
  }
  std::fclose(file);
}

}  // namespace farwheel::lab
