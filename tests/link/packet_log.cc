#include "packet_log.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "ip_packet.h"

namespace farwheel::link {
namespace {
constexpr std::size_t kBuffer = 1 << 20;
}

PacketLog::PacketLog(const std::string& file)
    : file_(std::fopen(file.c_str(), "we")), buffer_(kBuffer) {
  if (!file_) {
    throw std::runtime_error("--log " + file + ": cannot be written: " + std::strerror(errno));
  }
  std::setvbuf(file_.get(), buffer_.data(), _IOFBF, buffer_.size());
}

PacketLog::~PacketLog() {
  std::sort(late_ns_.begin(), late_ns_.end());
  if (!late_ns_.empty()) {
    const auto share = [this](double part) {
      return static_cast<long long>(
          late_ns_[static_cast<std::size_t>(part * static_cast<double>(late_ns_.size() - 1))]);
    };
    std::fprintf(file_.get(), "late %lld %lld %lld\n", share(0.5), share(0.99), share(1));
  }
  std::fflush(file_.get());
  file_.reset();
}

void PacketLog::begin(std::int64_t at_ns) {
  std::fprintf(file_.get(), "begin %lld\n", static_cast<long long>(at_ns));
}

void PacketLog::add(const Passed& passed, std::int64_t left_ns) {
  if (passed.way != Way::kThere || passed.is_again) return;
  const auto udp = view_udp(passed.packet);
  const auto rtp = udp ? view_rtp(udp->payload) : std::nullopt;
  if (!rtp) return;
  if (!passed.is_lost) late_ns_.push_back(left_ns - passed.due_ns);
  std::fprintf(file_.get(), "there %lld %lld %zu %u %u %u\n",
               static_cast<long long>(passed.entered_ns),
               static_cast<long long>(passed.is_lost ? -1 : left_ns), udp->payload.size(),
               rtp->payload_type, rtp->ssrc, rtp->sequence);
}

}  // namespace farwheel::link
