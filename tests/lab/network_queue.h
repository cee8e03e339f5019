// Names of the queues that a bottleneck may have.
#pragma once

#include <string>
#include <vector>

namespace farwheel::lab {

std::vector<std::string> queue_names();
std::vector<std::string> marking_queue_names();

}  // namespace farwheel::lab
