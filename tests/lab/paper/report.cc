#include "paper/report.h"

#include <algorithm>
#include <cstdio>
#include <optional>

#include "paper/text_file.h"

namespace farwheel::lab {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kDeepOver = 2;  // BDP; the paper's border between shallow and deep

std::string print(std::optional<double> value, const char* format = "%.3f") {
  if (!value) return "–";
  char text[32];
  std::snprintf(text, sizeof text, format, *value);
  return text;
}

template <typename Keep, typename Figure>
std::optional<double> mean(const std::vector<FlowsCell>& cells, std::size_t who, Keep keep,
                           Figure figure) {
  double sum = 0;
  int count = 0;
  for (const FlowsCell& cell : cells) {
    if (cell.contestant != who || !keep(cell)) continue;
    sum += figure(cell);
    ++count;
  }
  return count > 0 ? std::optional(sum / count) : std::nullopt;
}

double jain_of(const FlowsCell& cell) {
  return cell.jain;
}

// One line: what the paper says of its baseline and of its algorithm, and what each contestant
// gave.
template <typename Keep, typename Figure>
void compare(std::ostream& out, const std::string& what, const char* paper_says,
             const std::vector<FlowsCell>& cells, Keep keep, Figure figure,
             const char* format = "%.3f") {
  out << "| " << what << " | " << paper_says << " |";
  for (std::size_t who = 0; who < contestants().size(); ++who) {
    out << ' ' << print(mean(cells, who, keep, figure), format) << " |";
  }
  out << '\n';
}

void write_flows(std::ostream& out, const PaperResults& results) {
  out << "| figure | paper: BBRv2 → adaptive |";
  for (const Contestant& who : contestants()) out << ' ' << who.title << " |";
  out << "\n| --- | --- |";
  for (std::size_t i = 0; i < contestants().size(); ++i) out << " --- |";
  out << '\n';
  const auto deep = [](const FlowsCell& cell) { return cell.x > kDeepOver; };
  const auto shallow = [](const FlowsCell& cell) { return cell.x <= kDeepOver; };
  const auto all = [](const FlowsCell&) { return true; };
  const auto& buffers = results.buffers;
  compare(out, "Jain, buffers over 2 BDP", "0.71 → 0.99", buffers, deep, jain_of);
  compare(out, "Jain, buffers up to 2 BDP", "0.94 → 0.92", buffers, shallow, jain_of);
  compare(
      out, "Jain, 100 BDP", "– → 0.996", buffers,
      [](const FlowsCell& cell) { return cell.x == 100; }, jain_of);
  compare(
      out, "L1, Mbit/s, over 2 BDP", "0.87 → 2.29", buffers, deep,
      [](const FlowsCell& cell) { return cell.mbps[0]; }, "%.2f");
  compare(
      out, "L2, Mbit/s, over 2 BDP", "3.96 → 2.53", buffers, deep,
      [](const FlowsCell& cell) { return cell.mbps[1]; }, "%.2f");
  compare(out, "utilisation, mean", "0.966 → 0.960", buffers, all,
          [](const FlowsCell& cell) { return cell.utilisation; });
  const char* jains[] = {"0.645 → 0.996", "0.726 (0.653 by its own rates) → 0.996", "0.855 → 1.00"};
  const char* shorts[] = {"0.62 → 2.28", "0.66 → 2.29", "1.45 → 2.42"};
  const char* longs[] = {"4.21 → 2.52", "4.20 → 2.58", "3.48 → 2.46"};
  for (int order = 1; order <= 3; ++order) {
    const auto widest = [order](const FlowsCell& cell) {
      return cell.order == order && cell.x == 100;
    };
    const std::string place = ", 10/100 ms, case " + std::to_string(order);
    compare(out, "Jain" + place, jains[order - 1], results.rtts, widest, jain_of);
    compare(
        out, "L1, Mbit/s" + place, shorts[order - 1], results.rtts, widest,
        [](const FlowsCell& cell) { return cell.mbps[0]; }, "%.2f");
    compare(
        out, "L2, Mbit/s" + place, longs[order - 1], results.rtts, widest,
        [](const FlowsCell& cell) { return cell.mbps[1]; }, "%.2f");
  }
  const auto first = [](const FlowsCell& cell) { return cell.order == 1 && cell.x == 100; };
  compare(
      out, "OWD L1, ms, 10/100 ms, case 1", "200 → 13", results.rtts, first,
      [](const FlowsCell& cell) { return cell.owd_ms[0]; }, "%.1f");
  compare(
      out, "OWD L2, ms, 10/100 ms, case 1", "235 → 74", results.rtts, first,
      [](const FlowsCell& cell) { return cell.owd_ms[1]; }, "%.1f");
}

std::optional<double> value_of(const Json& senders, const std::string& name, const char* figure) {
  for (const Json& sender : senders) {
    if (sender["name"] == name && !sender[figure].is_null()) return sender[figure].get<double>();
  }
  return std::nullopt;
}

// Mean and median over the grid of what FBE saves against another sender.
std::string gains(const std::vector<StartupCell>& cells, double cross, const char* other,
                  const char* figure) {
  std::vector<double> values;
  for (const StartupCell& cell : cells) {
    if (cell.cross != cross) continue;
    const auto mine = value_of(cell.senders, "fbe", figure);
    const auto theirs = value_of(cell.senders, other, figure);
    if (mine && theirs && *theirs > 0) values.push_back(100 * (1 - *mine / *theirs));
  }
  if (values.empty()) return "– | –";
  std::sort(values.begin(), values.end());
  double sum = 0;
  for (const double value : values) sum += value;
  const std::size_t half = values.size() / 2;
  const double median =
      values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
  return print(sum / static_cast<double>(values.size()), "%.1f %%") + " | " +
         print(median, "%.1f %%");
}

void write_startups(std::ostream& out, const PaperResults& results) {
  out << "| FBE shorter than | paper (real Wi-Fi, LTE) | idle: mean | median | 30 % cross: mean | "
         "median |\n| --- | --- | --- | --- | --- | --- |\n";
  const auto& cells = results.startups;
  const auto line = [&](const char* what, const char* paper, const char* other,
                        const char* figure) {
    out << "| " << what << " | " << paper << " | " << gains(cells, 0, other, figure) << " | "
        << gains(cells, 0.3, other, figure) << " |\n";
  };
  line("TcpCubic, convergence", "54.8 %", "cubic", "convergence_ms");
  line("TcpBbr, convergence", "53.5 %", "tcpbbr", "convergence_ms");
  line("TcpCubic, 512 KB", "40.4 %", "cubic", "fct_ms");
  line("TcpBbr, 512 KB", "43.8 %", "tcpbbr", "fct_ms");
  line("classic BBRv2, convergence", "–", "bbr2-classic", "convergence_ms");
  line("classic BBRv2, 512 KB", "–", "bbr2-classic", "fct_ms");
  out << "\n| rate | RTT | cross | convergence, ms: cubic / tcpbbr / classic / FBE | 512 KB, ms | "
         "largest queue, ms |\n| --- | --- | --- | --- | --- | --- |\n";
  for (const StartupCell& cell : cells) {
    out << "| " << cell.rate_mbps << " | " << cell.rtt_ms << " | " << cell.cross << " |";
    for (const char* figure : {"convergence_ms", "fct_ms", "max_queue_ms"}) {
      std::string separator = " ";
      for (const char* name : {"cubic", "tcpbbr", "bbr2-classic", "fbe"}) {
        out << separator << print(value_of(cell.senders, name, figure), "%.0f");
        separator = " / ";
      }
      out << " |";
    }
    out << '\n';
  }
}

}  // namespace

void write_report(const PaperConfig& config, const PaperResults& results) {
  TextFile file(config.out / "report.md");
  std::ostream& out = file.stream();
  out << "# The papers' experiments, run again\n"
      << (config.is_quick ? "Quick: fewer cells, 60 s each. " : "Whole: 200 s each. ")
      << (config.has_wifi ? "L2 behind 802.11n with a random walk" : "Wired") << ", seed "
      << config.seed
      << ". 5 Mbit/s, L1 10 ms; L2 60 ms over the buffers, 10 BDP over the round trips.\n\n"
      << "## Adaptive BBRv2\n";
  write_flows(out, results);
  out << "\nPictures 3 to 16 are numbered as in the paper (`figures/`).\n\n## FBE\n";
  write_startups(out, results);
  file.close();
}

}  // namespace farwheel::lab
