// A link between two ends for real packets: the model of `farwheel-lab media` (one queue before a
// LinkCapacity, then propagation; see tests/lab/media/media_link.h), run by a real clock, and what
// only real packets can suffer: duplication, a path MTU, a NAT that forgets. No I/O: tun_link moves
// the packets. Times are the caller's monotonic clock in ns and never fall. Not thread-safe.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "media/link_capacity.h"
#include "media/media_config.h"
#include "media/media_link.h"
#include "path/random.h"
#include "port_binding.h"
#include "sim/event_queue.h"

namespace farwheel::link {

// From `at_s` on IP packets above that size vanish, both ways, and nobody is told.
struct MtuStep {
  std::size_t bytes;
  double at_s;
};

struct EmulationConfig {
  lab::media::MediaConfig link;
  double duplication = 0;  // share of packets that arrive twice, on the way there
  std::vector<MtuStep> mtu;
  std::vector<double> rebind_at_s;
  // When the link's time begins to run: at once, or with the first RTP packet. Until then there is
  // propagation and nothing else, so that a session is set up before it is judged.
  enum class Begin { kAtOnce, kFirstRtp };
  Begin begin = Begin::kAtOnce;
};

enum class Way { kThere, kBack };
using Packet = std::vector<std::uint8_t>;

struct Passed {
  Way way = Way::kThere;
  Packet packet;
  std::int64_t entered_ns = 0;
  std::int64_t due_ns = 0;
  bool is_lost = false;  // it arrives nowhere
  bool is_again = false;
};

class EmulatedLink {
 public:
  EmulatedLink(EmulationConfig config, std::int64_t now_ns);
  EmulatedLink(const EmulatedLink&) = delete;
  EmulatedLink& operator=(const EmulatedLink&) = delete;

  // What is not IPv4 goes nowhere.
  void enter(Way way, std::int64_t now_ns, Packet packet);
  // The next packet that has arrived or was lost by `now_ns`; empty if there is none.
  std::optional<Passed> take(std::int64_t now_ns);
  // When take() may next give something; empty while the link is idle. May be early, never late.
  std::optional<std::int64_t> next_due() const;

  // When the link's time began; empty: not yet.
  std::optional<std::int64_t> began_ns() const { return began_ns_; }
  std::int64_t queued_bytes() { return link_.queued_bytes(); }
  // What went there since the link began, all protocols.
  const lab::media::LinkCounters& counters() const { return link_.counters(flow_); }

 private:
  struct Under {
    Packet packet;
    std::int64_t entered_ns;
  };

  void advance(std::int64_t now_ns);
  void begin(std::int64_t now_ns);
  double seconds(std::int64_t now_ns) const;
  bool fits(std::int64_t now_ns, std::size_t bytes) const;
  // False: the NAT has nobody for it.
  bool translate(Way way, std::int64_t now_ns, Packet& packet);
  void send_there(std::int64_t now_ns, Packet packet);
  void arrive_there(std::int64_t number);

  const EmulationConfig config_;
  const std::unique_ptr<lab::media::LinkCapacity> capacity_;
  sim::EventQueue events_;
  lab::media::MediaLink link_;
  std::size_t flow_ = 0;
  const std::int64_t half_rtt_ns_;
  std::optional<std::int64_t> began_ns_;
  Random duplication_;
  PortBinding binding_;
  std::size_t rebound_ = 0;
  std::int64_t next_number_ = 0;
  std::map<std::int64_t, Under> under_way_;
  std::deque<Passed> early_;   // before the link began; by time
  std::deque<Passed> passed_;  // ready to be taken
};

}  // namespace farwheel::link
