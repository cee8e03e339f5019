// Counts the allocations of a program: operator new is replaced by what counted_new.cc defines.
// Link it into a program of its own; one thread only.
#pragma once

#include <cstddef>

namespace farwheel {

// Calls of operator new since the program began.
std::size_t allocation_count();

}  // namespace farwheel
