// The options of `farwheel-lab media` on a command line, in two parts, so that the link emulator of
// tests/link takes the very same words.
#pragma once

#include <CLI/CLI.hpp>

#include "media/media_options.h"

namespace farwheel::lab::media {

// What describes the link and how long the run is.
void add_link_options(CLI::App& app, MediaTexts& texts);
// What describes vehicles, their feeds and controllers, and who else is on the link.
void add_vehicle_options(CLI::App& app, MediaTexts& texts);
// A list is one word with commas; an option that may come again takes one word a time. After all
// options were added.
void take_words_whole(CLI::App& app);

}  // namespace farwheel::lab::media
