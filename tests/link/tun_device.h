// A TUN device in a named network namespace (as `ip netns add` makes them): packets written to it
// arrive there, packets sent there are read from it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace farwheel::link {

class TunDevice {
 public:
  // `where`: NETNS:ADDRESS/PREFIX[:DEVICE], as "fw-left:10.90.0.1/24". Makes the device (tun0)
  // there, gives it the address and takes it up. Throws std::runtime_error that says what failed
  // and where.
  explicit TunDevice(const std::string& where);
  ~TunDevice();
  TunDevice(const TunDevice&) = delete;
  TunDevice& operator=(const TunDevice&) = delete;

  int fd() const { return fd_; }
  // One IP packet; empty: none waits.
  std::vector<std::uint8_t> read();
  void write(std::span<const std::uint8_t> packet);

 private:
  int fd_ = -1;
};

}  // namespace farwheel::link
