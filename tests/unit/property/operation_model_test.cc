// Any sequence of operations on the feedback adapter and the sender, beside a model of plain maps:
// bytes in flight are always the model's sum, rates and windows stay inside their bounds, and no
// input stalls the sender for ever. rapidcheck makes the sequences and shrinks what fails; the seed
// is fixed by the test's environment (RC_PARAMS), so that a run can be repeated.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "bbr/bbr_sender.h"
#include "feedback/feedback_adapter.h"

namespace farwheel {
namespace {

enum class Kind { kSend, kReport, kNonsense, kTick, kWait, kIdle, kPathChange, kAlgorithm };

struct Operation {
  Kind kind;
  int amount;           // packets, or ms
  std::uint32_t shape;  // bits that choose among fates and fields

  friend std::ostream& operator<<(std::ostream& out, const Operation& op) {
    return out << static_cast<int>(op.kind) << '/' << op.amount << '/' << op.shape;
  }
};

rc::Gen<Operation> operations() {
  return rc::gen::build<Operation>(
      rc::gen::set(&Operation::kind, rc::gen::weightedElement<Kind>({{8, Kind::kSend},
                                                                     {8, Kind::kReport},
                                                                     {2, Kind::kNonsense},
                                                                     {3, Kind::kTick},
                                                                     {4, Kind::kWait},
                                                                     {1, Kind::kIdle},
                                                                     {1, Kind::kPathChange},
                                                                     {1, Kind::kAlgorithm}})),
      rc::gen::set(&Operation::amount, rc::gen::inRange(1, 60)),
      rc::gen::set(&Operation::shape, rc::gen::arbitrary<std::uint32_t>()));
}

constexpr std::int64_t kPacketBytes = 1200;
constexpr TimeDelta kWayOut = TimeDelta::from_millis(20);

// The adapter and the sender as SendEngine joins them, and what they ought to agree with.
class System {
 public:
  explicit System(Algorithm algorithm) : sender_(config_of(algorithm)) {}

  void apply(const Operation& op) {
    switch (op.kind) {
      case Kind::kSend:
        send(op.amount, op.shape);
        break;
      case Kind::kReport:
        report(op.amount, op.shape);
        break;
      case Kind::kNonsense:
        nonsense(op.amount, op.shape);
        break;
      case Kind::kTick:
        tick();
        break;
      case Kind::kWait:
        now_ += TimeDelta::from_millis(op.amount * ((op.shape & 31) == 0 ? 100 : 1));
        break;
      case Kind::kIdle:
        sender_.on_application_limited(now_, adapter_.bytes_in_flight());
        break;
      case Kind::kPathChange:
        take(adapter_.abandon(now_));
        sender_.on_path_changed(now_);
        break;
      case Kind::kAlgorithm:
        sender_.set_algorithm(now_, static_cast<Algorithm>(op.shape % 3));
        break;
    }
    check();
  }

  // From wherever it is: a good path for 40 s of its time must carry data again.
  void check_liveness() {
    std::int64_t delivered = 0;
    Timestamp next_send = now_;
    const Timestamp end = now_ + TimeDelta::from_seconds(40);
    std::map<Timestamp, PacketNumber> under_way;
    while (now_ < end) {
      now_ += TimeDelta::from_millis(5);
      while (!under_way.empty() && under_way.begin()->first + kWayOut <= now_) {
        const auto [arrived, number] = *under_way.begin();
        under_way.erase(under_way.begin());
        const ReportedPacket entry = received(number, arrived);
        delivered += feed(std::span(&entry, 1));
      }
      while (next_send <= now_ &&
             adapter_.bytes_in_flight().bytes() + kPacketBytes <= sender_.cwnd().bytes()) {
        under_way.emplace(now_ + kWayOut + TimeDelta::from_micros(300 * next_number_ % 5000),
                          next_number_);
        send_one();
        const TimeDelta gap = DataSize::from_bytes(kPacketBytes) / sender_.pacing_rate();
        next_send = std::max(next_send, now_ - TimeDelta::from_millis(1)) + gap;
      }
      tick();
    }
    RC_ASSERT(delivered > 20);
    check();
  }

 private:
  static ControllerConfig config_of(Algorithm algorithm) {
    ControllerConfig config;
    config.algorithm = algorithm;
    config.max_packet_size = DataSize::from_bytes(kPacketBytes);
    return config;
  }

  // Receiver's stamp, on its clock.
  static ReportedPacket received(PacketNumber number, Timestamp arrived) {
    ReportedPacket entry;
    entry.sequence_number = static_cast<std::uint16_t>(number);
    entry.remote_ns = (arrived.ns() / 250000) * 250000 + 5000000000;
    return entry;
  }

  void send_one() {
    const SentPacket packet{next_number_++, DataSize::from_bytes(kPacketBytes), 0, now_};
    RC_ASSERT(adapter_.on_packet_sent(packet));
    in_flight_[packet.number] = kPacketBytes;
    sender_.on_packet_sent(packet, adapter_.bytes_in_flight());
  }

  void send(int count, std::uint32_t shape) {
    for (int i = 0; i < count; ++i) {
      if ((shape >> (i % 32) & 1) != 0) now_ += TimeDelta::from_micros(700);
      send_one();
    }
  }

  // The oldest in flight, each with a fate of its own; some are left out.
  void report(int count, std::uint32_t shape) {
    std::vector<ReportedPacket> entries;
    now_ += TimeDelta::from_millis(shape % 40);
    for (const auto& [number, bytes] : in_flight_) {
      if (count-- == 0) break;
      shape = shape * 1664525u + 1013904223u;
      const std::uint32_t fate = shape >> 24;
      if (fate < 30) continue;
      ReportedPacket entry = received(number, now_ - TimeDelta::from_millis(fate % 20));
      if (fate < 70) {
        entry.lost = true;
        entry.remote_ns.reset();
      }
      entries.push_back(entry);
      if (fate > 240) entries.push_back(entry);  // named twice
    }
    (void)feed(entries);
  }

  void nonsense(int count, std::uint32_t shape) {
    std::vector<ReportedPacket> entries;
    for (int i = 0; i < count; ++i) {
      shape = shape * 1664525u + 1013904223u;
      ReportedPacket entry;
      entry.sequence_number = static_cast<std::uint16_t>(shape >> 16);
      entry.lost = (shape & 3) == 0;
      if ((shape & 12) != 0) entry.remote_ns = static_cast<std::int64_t>(shape) << (shape % 40);
      entries.push_back(entry);
    }
    (void)feed(entries, static_cast<std::int64_t>(shape) - 1000);
  }

  std::int64_t feed(std::span<const ReportedPacket> entries,
                    std::optional<std::int64_t> marks = std::nullopt) {
    return take(adapter_.on_report(now_, entries, marks));
  }

  // Gives the count of packets delivered.
  std::int64_t take(const FeedbackReport& report) {
    std::int64_t delivered = 0;
    for (const PacketResult& result : report.packets) {
      in_flight_.erase(result.packet.number);
      delivered += result.fate == PacketResult::Fate::kDelivered ? 1 : 0;
    }
    if (!report.packets.empty()) sender_.on_report(now_, report, adapter_.bytes_in_flight());
    return delivered;
  }

  void tick() {
    take(adapter_.age_out(now_, sender_.smoothed_rtt()));
    sender_.on_tick(now_, adapter_.bytes_in_flight(), adapter_.oldest_in_flight());
  }

  void check() {
    std::int64_t sum = 0;
    for (const auto& [number, bytes] : in_flight_) sum += bytes;
    RC_ASSERT(adapter_.bytes_in_flight().bytes() == sum);
    RC_ASSERT(adapter_.packets_in_flight() == static_cast<std::int64_t>(in_flight_.size()));
    RC_ASSERT(adapter_.oldest_in_flight().has_value() == !in_flight_.empty());

    // 4 packets at least (draft 2.8), and never without limit.
    RC_ASSERT(sender_.cwnd().bytes() >= 4 * kPacketBytes);
    RC_ASSERT(sender_.cwnd().is_finite());
    RC_ASSERT(sender_.pacing_rate().bps() >= 50000);
    RC_ASSERT(sender_.pacing_rate().is_finite());
    RC_ASSERT(sender_.media_rate().bps() > 0);
    RC_ASSERT(sender_.media_rate().is_finite());
    ControllerSnapshot s;
    sender_.fill(now_, s);
    RC_ASSERT(s.bw <= s.max_bw);
    RC_ASSERT(s.loss >= 0 && s.loss <= 1);
    if (s.min_rtt) RC_ASSERT(*s.min_rtt > TimeDelta::zero());
    if (s.inflight_hi) RC_ASSERT(*s.inflight_hi > DataSize::zero());
  }

  Timestamp now_ = Timestamp::from_seconds(100);
  PacketNumber next_number_ = 65000;
  FeedbackAdapter adapter_;
  BbrSender sender_;
  std::map<PacketNumber, std::int64_t> in_flight_;
};

void run_property(Algorithm algorithm) {
  const auto script = *rc::gen::container<std::vector<Operation>>(operations());
  System system(algorithm);
  for (const Operation& op : script) system.apply(op);
  system.check_liveness();
}

RC_GTEST_PROP(OperationModel, Bbr2AgreesAndGoesOn, ()) {
  run_property(Algorithm::kBbr2);
}
RC_GTEST_PROP(OperationModel, PaperAgreesAndGoesOn, ()) {
  run_property(Algorithm::kAdaptiveBbr2Paper);
}
RC_GTEST_PROP(OperationModel, AdaptiveAgreesAndGoesOn, ()) {
  run_property(Algorithm::kAdaptiveBbr2);
}

}  // namespace
}  // namespace farwheel
