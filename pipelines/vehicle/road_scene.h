// A made-up front camera: a road under way, drawn from nothing but the time. Stands in where no
// camera and no recording is at hand; has motion, texture and detail, so that an encoder has work
// to do.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace farwheel {

class RoadScene {
 public:
  // Pixels; both even and at least 160x90.
  RoadScene(int width, int height);

  std::size_t frame_size() const;  // bytes of one I420 frame without padding
  // The scene `seconds` after the start; `frame` has frame_size() bytes.
  void draw(double seconds, std::span<std::uint8_t> frame) const;

 private:
  struct Colour {
    std::uint8_t y, u, v;
  };
  struct Planes {
    std::uint8_t* y;
    std::uint8_t* u;
    std::uint8_t* v;
  };

  void fill(const Planes& planes, int x0, int y0, int x1, int y1, Colour colour) const;
  void draw_sky(const Planes& planes, double seconds) const;
  void draw_ground(const Planes& planes, double seconds) const;
  void draw_posts(const Planes& planes, double seconds) const;
  void draw_car(const Planes& planes, double lateral_m, double ahead_m, Colour body) const;
  // Horizontal centre of the road, in pixels, at this distance: the road bends as time passes.
  double road_centre(double ahead_m, double seconds) const;

  int width_;
  int height_;
  int horizon_;
  double focal_px_;
  std::vector<std::uint8_t> grain_;  // a square of noise, read by place in the world
};

}  // namespace farwheel
