// The experiments' results as files: comma-separated values, columns for the pictures, and a
// Markdown report with the papers' own figures beside ours.
#pragma once

#include "paper/experiments.h"

namespace farwheel::lab {

// Throws std::runtime_error naming the file that cannot be written.
void write_tables(const PaperConfig& config, const PaperResults& results);
void write_report(const PaperConfig& config, const PaperResults& results);

}  // namespace farwheel::lab
