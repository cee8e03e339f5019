// A road as a front radar sees it: guard rails, posts, gantries, vehicles in lanes, clutter. Pure
// and deterministic: the same seed and the same steps give bit-identical sweeps.
//
// Sensor frame as in radar_sweep.h. Speeds are what a Doppler radar measures: the radial part of
// the speed relative to the vehicle, as a vector along the line of sight.
#pragma once

#include <cstdint>
#include <vector>

#include "radar/radar_sweep.h"

namespace farwheel {

// Uniform and normal numbers from a splitmix64 sequence: the standard's distributions differ from
// one library to another.
class SceneRandom {
 public:
  explicit SceneRandom(std::uint64_t seed) : state_(seed) {}
  double uniform();  // [0, 1)
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  double normal(double mean, double sigma);

 private:
  std::uint64_t next();
  std::uint64_t state_;
};

class RadarScene {
 public:
  explicit RadarScene(std::uint64_t seed);

  // What the radar sees now, the vehicle driving at `ego_speed` (m/s).
  std::vector<RadarDetection> look(double ego_speed);
  // Lets `seconds` pass.
  void advance(double seconds, double ego_speed);

 private:
  struct Vehicle {
    double x;  // nearest edge, m ahead
    double y;
    double speed;  // over ground, m/s; negative: oncoming
    double length;
    double width;
    double rcs;
    double gap;  // m that it keeps ahead of us in our own lane
  };
  struct Target {
    double x;
    double y;
    double z;
    double speed_x;  // over ground
    double rcs;
  };

  void add_infrastructure();
  void add_vehicles();
  void add_clutter();
  void see(const Target& target);
  double bend(double x) const;

  std::uint64_t seed_;
  SceneRandom random_;
  double ego_speed_ = 0;
  double travelled_ = 0;
  double seconds_ = 0;
  std::vector<Vehicle> vehicles_;
  std::vector<RadarDetection> seen_;
};

}  // namespace farwheel
