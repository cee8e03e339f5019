// Radar recordings as they lie on disk: one PCD file, or a folder of them in the order of their
// names.
#pragma once

#include <string>
#include <vector>

namespace farwheel {

// The contents, one string a sweep. Throws std::runtime_error that names the path: nothing there,
// no .pcd file in the folder, or one that cannot be read.
std::vector<std::string> read_radar_files(const std::string& path);

}  // namespace farwheel
