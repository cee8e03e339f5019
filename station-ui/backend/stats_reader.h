// The `stats` structure of farwheelsrc (docs/stats.md) as values. Whatever is absent, of another
// type or out of range stays unknown: the structure carries what a vehicle sent.
#pragma once

#include <gst/gst.h>

#include "backend/station_stats.h"

namespace farwheel::station {

StationStats read_stats(const GstStructure* stats, Nanoseconds now);

}  // namespace farwheel::station
