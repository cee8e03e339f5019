// The paper's figures 3 to 16, drawn by gnuplot from the columns that write_tables left.
#pragma once

#include "paper/experiments.h"

namespace farwheel::lab {

// Writes figures/figNN.gp and has gnuplot make .svg and .png of each. False if there is no gnuplot
// (the scripts are there nevertheless); throws std::runtime_error if gnuplot fails.
bool draw_figures(const PaperConfig& config);

}  // namespace farwheel::lab
