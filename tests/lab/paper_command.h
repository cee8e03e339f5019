// The sub-command `paper`: every experiment of the two papers again, with tables and pictures.
#pragma once

#include <CLI/CLI.hpp>

namespace farwheel::lab {

// Adds the sub-command; its callback runs everything. OptionErrors leave it.
void add_paper_command(CLI::App& app);

}  // namespace farwheel::lab
