#include "tun_device.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace farwheel::link {
namespace {

constexpr std::size_t kLargestPacket = 65536;

[[noreturn]] void fail(const std::string& what) {
  throw std::runtime_error(what + ": " + std::strerror(errno));
}

class FileDescriptor {
 public:
  explicit FileDescriptor(int fd) : fd_(fd) {}
  ~FileDescriptor() {
    if (fd_ >= 0) close(fd_);
  }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

// Puts this thread into a network namespace and, at the end, back where it was.
class InNamespace {
 public:
  explicit InNamespace(const std::string& name)
      : home_(open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC)) {
    const std::string path = "/run/netns/" + name;
    const FileDescriptor there(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (home_.get() < 0 || there.get() < 0 || setns(there.get(), CLONE_NEWNET) != 0) {
      fail("cannot enter network namespace " + path + " (made with `ip netns add`? root?)");
    }
  }
  ~InNamespace() {
    // Failing here would leave the caller in the wrong network: no way on.
    if (setns(home_.get(), CLONE_NEWNET) != 0) std::terminate();
  }
  InNamespace(const InNamespace&) = delete;
  InNamespace& operator=(const InNamespace&) = delete;

 private:
  FileDescriptor home_;
};

ifreq request(const std::string& device) {
  ifreq r{};
  device.copy(r.ifr_name, IFNAMSIZ - 1);
  return r;
}

struct Setting {
  unsigned long request;
  in_addr address;
};

void set_address(int socket_fd, const std::string& device, const Setting& setting) {
  ifreq r = request(device);
  sockaddr_in in{};
  in.sin_family = AF_INET;
  in.sin_addr = setting.address;
  std::memcpy(&r.ifr_addr, &in, sizeof(in));
  if (ioctl(socket_fd, setting.request, &r) != 0) fail("cannot set the address of " + device);
}

void configure(const std::string& device, const std::string& address_text, int prefix) {
  in_addr address{};
  if (inet_pton(AF_INET, address_text.c_str(), &address) != 1) {
    throw std::runtime_error("'" + address_text + "' is no IPv4 address");
  }
  // The link is IPv4's: without this, an address of its own would be one more candidate for ICE.
  const std::string setting = "/proc/sys/net/ipv6/conf/" + device + "/disable_ipv6";
  const FileDescriptor no_ipv6(open(setting.c_str(), O_WRONLY | O_CLOEXEC));
  [[maybe_unused]] const ssize_t written = ::write(no_ipv6.get(), "1", 1);
  const FileDescriptor control(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  set_address(control.get(), device, {SIOCSIFADDR, address});
  set_address(control.get(), device, {SIOCSIFNETMASK, {htonl(~0u << (32 - prefix))}});
  ifreq r = request(device);
  r.ifr_flags = IFF_UP | IFF_RUNNING;
  if (ioctl(control.get(), SIOCSIFFLAGS, &r) != 0) fail("cannot take " + device + " up");
}

}  // namespace

TunDevice::TunDevice(const std::string& where) {
  const auto colon = where.find(':');
  const auto slash = where.find('/', colon == std::string::npos ? 0 : colon);
  if (colon == std::string::npos || slash == std::string::npos) {
    throw std::runtime_error("'" + where + "' is not NETNS:ADDRESS/PREFIX[:DEVICE]");
  }
  const auto named = where.find(':', slash);
  const std::string device = named == std::string::npos ? "tun0" : where.substr(named + 1);
  if (device.empty() || device.size() >= IFNAMSIZ) {
    throw std::runtime_error("'" + where + "': a device's name has 1 to 15 characters");
  }
  const int prefix = std::atoi(where.c_str() + slash + 1);
  if (prefix < 1 || prefix > 31) throw std::runtime_error("'" + where + "': prefix not in 1 to 31");

  const InNamespace inside(where.substr(0, colon));
  fd_ = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (fd_ < 0) fail("cannot open /dev/net/tun");
  ifreq r = request(device);
  r.ifr_flags = IFF_TUN | IFF_NO_PI;
  try {
    if (ioctl(fd_, TUNSETIFF, &r) != 0) fail("cannot make " + device + " in " + where);
    configure(device, where.substr(colon + 1, slash - colon - 1), prefix);
  } catch (...) {
    close(fd_);
    throw;
  }
}

TunDevice::~TunDevice() {
  close(fd_);
}

std::vector<std::uint8_t> TunDevice::read() {
  std::vector<std::uint8_t> packet(kLargestPacket);
  const ssize_t size = ::read(fd_, packet.data(), packet.size());
  packet.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  return packet;
}

void TunDevice::write(std::span<const std::uint8_t> packet) {
  // A full receive queue drops, as a network card's would.
  [[maybe_unused]] const ssize_t written = ::write(fd_, packet.data(), packet.size());
}

}  // namespace farwheel::link
