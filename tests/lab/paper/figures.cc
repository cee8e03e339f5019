#include "paper/figures.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

#include "paper/text_file.h"

namespace farwheel::lab {
namespace {

// Colours that stay apart for those who do not see red from green.
constexpr const char* kShort = "#0072b2";
constexpr const char* kLong = "#d55e00";
constexpr const char* kColours[] = {"#d55e00", "#0072b2", "#009e73"};

struct Figure {
  int number;
  std::string title;
  std::string body;  // what follows the common settings
  int panels = 1;
};

std::string buffers_of(std::size_t who) {
  return "'../data/buffers_" + std::string(contestants()[who].name) + ".dat'";
}
std::string rtts_of(std::size_t who, int order) {
  return "'../data/rtts_" + std::string(contestants()[who].name) + "_order" +
         std::to_string(order) + ".dat'";
}
std::string series_of(std::size_t who, int order) {
  return "'../data/" + series_name(contestants()[who], order) + "'";
}

std::string line(const std::string& data, const std::string& columns, const std::string& colour,
                 const std::string& title, int point = 7) {
  return data + " using " + columns + " with linespoints lw 2 pt " + std::to_string(point) +
         " ps 0.8 lc rgb '" + colour + "' title \"" + title + "\"";
}

constexpr const char* kBufferAxis =
    "set logscale x\nset xlabel 'Buffer of the bottleneck, BDP'\nset xrange [0.15:130]\n";
constexpr const char* kRttAxis =
    "unset logscale x\nset xlabel 'Round trip of L2, ms'\nset xrange [5:105]\n";

std::string throughput_over_buffers(std::size_t who) {
  return std::string(kBufferAxis) + "set ylabel 'Throughput, Mbit/s'\nset yrange [0:5]\nplot " +
         line(buffers_of(who), "1:4", kShort, "L1, 10 ms") + ", " +
         line(buffers_of(who), "1:5", kLong, "L2, 60 ms", 5) + "\n";
}

std::string each(const std::string& columns, bool is_over_buffers, int order) {
  std::string text = "plot ";
  for (std::size_t who = 0; who < contestants().size(); ++who) {
    text += (who > 0 ? ", " : "") + line(is_over_buffers ? buffers_of(who) : rtts_of(who, order),
                                         columns, kColours[who], contestants()[who].title,
                                         who == 0 ? 5 : 7);
  }
  return text + "\n";
}

std::string course(int order) {
  std::string text =
      "set datafile separator ','\nset xlabel 'Time, s'\nset ylabel 'Throughput, Mbit/s'\n"
      "set yrange [0:5.5]\nset multiplot layout 3,1\n";
  for (std::size_t who = 0; who < contestants().size(); ++who) {
    text += "set title \"" + std::string(contestants()[who].title) + "\" noenhanced\nplot " +
            series_of(who, order) + " skip 1 every 2::0 using 1:3 with lines lw 2 lc rgb '" +
            kShort +
            "' title 'L1, 10 ms', '' skip 1 every 2::1 using 1:3 with lines lw 2 lc rgb '" + kLong +
            "' title 'L2, 80 ms'\n";
  }
  return text + "unset multiplot\n";
}

std::string throughput_over_rtts(int order) {
  std::string text =
      std::string(kRttAxis) +
      "set ylabel 'Throughput, Mbit/s'\nset yrange [0:5]\nset multiplot layout 3,1\n";
  for (std::size_t who = 0; who < contestants().size(); ++who) {
    text += "set title \"" + std::string(contestants()[who].title) + "\" noenhanced\nplot " +
            line(rtts_of(who, order), "1:4", kShort, "L1, 10 ms") + ", " +
            line(rtts_of(who, order), "1:5", kLong, "L2", 5) + "\n";
  }
  return text + "unset multiplot\n";
}

std::string delay_over_rtts() {
  std::string text = std::string(kRttAxis) +
                     "set ylabel 'Mean one-way delay, ms'\nset logscale y\nset yrange [5:1500]\n"
                     "set multiplot layout 3,1\n";
  for (int order = 1; order <= 3; ++order) {
    text += "set title '(" + std::string(1, static_cast<char>('a' + order - 1)) + ") case " +
            std::to_string(order) + "'\nplot ";
    for (std::size_t who = 0; who < contestants().size(); ++who) {
      text += (who > 0 ? ", " : "") +
              line(rtts_of(who, order), "1:6", kColours[who],
                   std::string(contestants()[who].title) + ", L1") +
              ", " +
              line(rtts_of(who, order), "1:7", kColours[who],
                   std::string(contestants()[who].title) + ", L2", 6);
    }
    text += "\n";
  }
  return text + "unset multiplot\n";
}

std::vector<Figure> figures() {
  std::vector<Figure> all;
  all.push_back({3, "BBRv2: throughput over buffer sizes", throughput_over_buffers(0)});
  all.push_back(
      {4, "Adaptive BBRv2 (paper): throughput over buffer sizes", throughput_over_buffers(1)});
  all.push_back({5, "Fairness over buffer sizes",
                 std::string(kBufferAxis) + "set ylabel \"Jain's index\"\nset yrange [0.5:1.02]\n" +
                     each("1:2", true, 0)});
  all.push_back({6, "Utilisation over buffer sizes",
                 std::string(kBufferAxis) +
                     "set ylabel 'Utilisation (payload; at most 0.9756)'\n"
                     "set yrange [0.9:0.985]\n" +
                     each("1:3", true, 0)});
  const char* cases[] = {"case 1: together", "case 2: L2 20 s later", "case 3: L1 20 s later"};
  for (int order = 1; order <= 3; ++order) {
    const std::string place = cases[order - 1];
    const int first = 7 + 3 * (order - 1);
    all.push_back({first, "10 and 80 ms over time, " + place, course(order), 3});
    all.push_back(
        {first + 1, "Throughput over round trips, " + place, throughput_over_rtts(order), 3});
    all.push_back({first + 2, "Fairness over round trips, " + place,
                   std::string(kRttAxis) + "set ylabel \"Jain's index\"\nset yrange [0.5:1.02]\n" +
                       each("1:2", false, order)});
  }
  all.push_back({16, "One-way delay over round trips", delay_over_rtts(), 3});
  return all;
}

std::string name_of(const Figure& figure) {
  char name[16];
  std::snprintf(name, sizeof name, "fig%02d", figure.number);
  return name;
}

// The same drawing to both terminals: the body is a macro in a file of its own.
void write_script(const std::filesystem::path& folder, const Figure& figure) {
  const int height = figure.panels == 1 ? 480 : 300 * figure.panels;
  const std::string name = name_of(figure);
  TextFile file(folder / (name + ".gp"));
  std::ostream& out = file.stream();
  out << "# " << figure.title << "\n";
  for (const std::string kind : {"svg", "pngcairo"}) {
    out << "reset\nset terminal " << kind << " size 960," << height
        << (kind == "svg" ? " background rgb 'white'" : "") << " font 'DejaVu Sans,11'\n"
        << "set output '" << name << (kind == "svg" ? ".svg" : ".png") << "'\n"
        << "set grid lt 1 lw 1 lc rgb '#dddddd'\nset border 3 lc rgb '#555555'\nset tics nomirror\n"
        << "set key outside right center vertical noenhanced\n";
    if (figure.panels == 1) out << "set title \"" << figure.title << "\" noenhanced\n";
    out << figure.body << "unset output\n";
  }
  file.close();
}

// Status of `gnuplot SCRIPT...` run in the folder; 127: there is none.
int run_gnuplot(const std::filesystem::path& folder, const std::vector<std::string>& scripts) {
  const pid_t child = fork();
  if (child < 0) return 126;
  if (child == 0) {
    if (chdir(folder.c_str()) != 0) _exit(126);
    std::vector<char*> arguments{const_cast<char*>("gnuplot")};
    for (const std::string& script : scripts)
      arguments.push_back(const_cast<char*>(script.c_str()));
    arguments.push_back(nullptr);
    execvp("gnuplot", arguments.data());
    _exit(127);
  }
  int status = 0;
  if (waitpid(child, &status, 0) != child || !WIFEXITED(status)) return 126;
  return WEXITSTATUS(status);
}

}  // namespace

bool draw_figures(const PaperConfig& config) {
  const std::filesystem::path folder = config.out / "figures";
  std::vector<std::string> scripts;
  for (const Figure& figure : figures()) {
    write_script(folder, figure);
    scripts.push_back(name_of(figure) + ".gp");
  }
  const int status = run_gnuplot(folder, scripts);
  if (status == 127) return false;
  if (status != 0) {
    throw std::runtime_error("gnuplot ended with status " + std::to_string(status) + " in '" +
                             folder.string() + "'");
  }
  return true;
}

}  // namespace farwheel::lab
