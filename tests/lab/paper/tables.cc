#include <algorithm>

#include "paper/report.h"
#include "paper/text_file.h"

namespace farwheel::lab {
namespace {

using Json = nlohmann::ordered_json;

void write_flows_csv(const std::filesystem::path& path, const char* x,
                     const std::vector<FlowsCell>& cells) {
  TextFile file(path);
  file.stream() << "algorithm,order," << x
                << ",jain,utilisation,l1_mbps,l2_mbps,l1_owd_ms,l2_owd_ms,l1_path_ms,l2_path_ms\n";
  for (const FlowsCell& cell : cells) {
    file.stream() << contestants()[cell.contestant].name << ',' << cell.order << ',' << cell.x
                  << ',' << cell.jain << ',' << cell.utilisation << ',' << cell.mbps[0] << ','
                  << cell.mbps[1] << ',' << cell.owd_ms[0] << ',' << cell.owd_ms[1] << ','
                  << cell.path_ms[0] << ',' << cell.path_ms[1] << '\n';
  }
  file.close();
}

// One contestant and order, in the order of x: what gnuplot draws.
void write_columns(const std::filesystem::path& path, std::vector<FlowsCell> cells,
                   std::size_t contestant, int order) {
  std::sort(cells.begin(), cells.end(),
            [](const FlowsCell& a, const FlowsCell& b) { return a.x < b.x; });
  TextFile file(path);
  file.stream() << "# x jain utilisation l1_mbps l2_mbps l1_owd_ms l2_owd_ms\n";
  for (const FlowsCell& cell : cells) {
    if (cell.contestant != contestant || cell.order != order) continue;
    file.stream() << cell.x << ' ' << cell.jain << ' ' << cell.utilisation << ' ' << cell.mbps[0]
                  << ' ' << cell.mbps[1] << ' ' << cell.owd_ms[0] << ' ' << cell.owd_ms[1] << '\n';
  }
  file.close();
}

void write_startups_csv(const std::filesystem::path& path, const std::vector<StartupCell>& cells) {
  TextFile file(path);
  file.stream() << "rate_mbps,rtt_ms,cross,sender,convergence_ms,fct_ms,max_queue_ms,"
                   "estimate_mbps,loss\n";
  for (const StartupCell& cell : cells) {
    for (const Json& sender : cell.senders) {
      file.stream() << cell.rate_mbps << ',' << cell.rtt_ms << ',' << cell.cross << ','
                    << sender["name"].get<std::string>();
      for (const char* figure :
           {"convergence_ms", "fct_ms", "max_queue_ms", "estimate_mbps", "loss"}) {
        file.stream() << ',';
        if (!sender[figure].is_null()) file.stream() << sender[figure];
      }
      file.stream() << '\n';
    }
  }
  file.close();
}

}  // namespace

void write_tables(const PaperConfig& config, const PaperResults& results) {
  write_flows_csv(config.out / "buffers.csv", "buffer_bdp", results.buffers);
  write_flows_csv(config.out / "rtts.csv", "l2_rtt_ms", results.rtts);
  write_startups_csv(config.out / "startup.csv", results.startups);
  for (std::size_t who = 0; who < contestants().size(); ++who) {
    const std::string name = contestants()[who].name;
    write_columns(config.out / "data" / ("buffers_" + name + ".dat"), results.buffers, who, 0);
    for (int order = 1; order <= 3; ++order) {
      write_columns(
          config.out / "data" / ("rtts_" + name + "_order" + std::to_string(order) + ".dat"),
          results.rtts, who, order);
    }
  }
}

}  // namespace farwheel::lab
