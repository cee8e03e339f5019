#include "plugin_sender.h"

#include <dlfcn.h>

#include <algorithm>
#include <deque>
#include <utility>

#include "controller_plugin.h"
#include "option_values.h"

namespace farwheel::lab {
namespace {

constexpr std::int64_t kTickNs = 10'000'000;
constexpr std::int64_t kMostBps = 1'000'000'000'000;
// A pause earns no more credit than this: what was not sent then is not sent at once now.
constexpr std::int64_t kMostCreditNs = 1'000'000;

[[noreturn]] void refuse(const std::string& file, const std::string& why) {
  throw OptionError("--controller-plugin: '" + file + "' " + why +
                    "; see farwheel/lab/controller_plugin.h");
}

const farwheel_lab_controller& load(const std::string& file) {
  // A name without a slash would be looked for among the system's libraries.
  const std::string path = file.find('/') == std::string::npos ? "./" + file : file;
  void* object = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (object == nullptr) refuse(file, std::string("cannot be loaded (") + dlerror() + ")");
  const auto entry = reinterpret_cast<farwheel_lab_get_controller_fn>(
      dlsym(object, FARWHEEL_LAB_CONTROLLER_SYMBOL));
  if (entry == nullptr) refuse(file, "does not export " FARWHEEL_LAB_CONTROLLER_SYMBOL "()");
  const farwheel_lab_controller* table = entry();
  if (table == nullptr) refuse(file, "returns no table of functions");
  if (table->version != FARWHEEL_LAB_CONTROLLER_VERSION) {
    refuse(file, "speaks version " + std::to_string(table->version) + ", not " +
                     std::to_string(FARWHEEL_LAB_CONTROLLER_VERSION));
  }
  if (!table->create || !table->destroy || !table->packet_sent || !table->feedback ||
      !table->tick || !table->pacing_bps || !table->window_bytes) {
    refuse(file, "leaves out a function that is needed");
  }
  return *table;
}

class PluginSender : public Sender {
 public:
  PluginSender(const farwheel_lab_controller& table, void* self) : table_(table), self_(self) {}
  ~PluginSender() override { table_.destroy(self_); }
  PluginSender(const PluginSender&) = delete;
  PluginSender& operator=(const PluginSender&) = delete;

  Decision next(std::int64_t now_ns, std::int64_t) override {
    if (in_flight_ + kWireBytes > table_.window_bytes(self_) || rate() <= 0) {
      return {.wake_ns = now_ns + kTickNs};
    }
    if (now_ns < due_ns_) return {.wake_ns = due_ns_};
    return {.may_send = true};
  }

  void on_sent(std::int64_t now_ns, std::int64_t number) override {
    const std::int64_t gap_ns = kWireBytes * 8 * 1'000'000'000 / std::max<std::int64_t>(1, rate());
    due_ns_ = std::max(due_ns_, now_ns - kMostCreditNs) + gap_ns;
    in_flight_ += kWireBytes;
    if (packets_.empty()) first_number_ = number;
    packets_.push_back({.sent_ns = now_ns});
    ++sent_;
    table_.packet_sent(self_, now_ns, number, in_flight_);
    note_state(now_ns);
  }

  void on_feedback(std::int64_t now_ns, std::span<const ReportedPacket> report,
                   std::optional<std::int64_t> ecn_ce_count) override {
    results_.clear();
    for (const ReportedPacket& packet : report) take(packet, ecn_ce_count.value_or(0) > 0);
    while (!packets_.empty() && packets_.front().is_settled) {
      packets_.pop_front();
      ++first_number_;
    }
    if (results_.empty()) return;
    table_.feedback(self_, now_ns, results_.data(), results_.size(), in_flight_);
    note_state(now_ns);
  }

  void on_driver_queue(std::int64_t, std::int64_t) override {}

  void on_tick(std::int64_t now_ns) override {
    table_.tick(self_, now_ns, in_flight_);
    note_state(now_ns);
  }

  SenderState state(std::int64_t) const override {
    SenderState state;
    state.state = state_;
    state.pacing_mbps = static_cast<double>(rate()) / 1e6;
    state.cwnd_bytes = table_.window_bytes(self_);
    state.inflight_bytes = in_flight_;
    if (table_.target_bps != nullptr) {
      state.bw_mbps = static_cast<double>(table_.target_bps(self_)) / 1e6;
    }
    state.counters = {
        {"packets_sent", sent_}, {"packets_delivered", delivered_}, {"packets_lost", lost_}};
    return state;
  }

  std::vector<LoggedEvent> take_events() override { return std::exchange(events_, {}); }

 private:
  struct Packet {
    std::int64_t sent_ns;
    bool is_settled = false;
  };

  std::int64_t rate() const { return std::min(table_.pacing_bps(self_), kMostBps); }

  void take(const ReportedPacket& reported, bool is_marked) {
    // The low half of a number, counted from the oldest packet that is not settled.
    const auto ahead = static_cast<std::uint16_t>(reported.sequence_number -
                                                  static_cast<std::uint16_t>(first_number_));
    if (ahead >= packets_.size() || packets_[ahead].is_settled) return;
    Packet& packet = packets_[ahead];
    packet.is_settled = true;
    in_flight_ -= kWireBytes;
    ++(reported.lost ? lost_ : delivered_);
    results_.push_back({.number = first_number_ + ahead,
                        .sent_ns = packet.sent_ns,
                        .received_ns = reported.lost ? 0 : reported.remote_ns.value_or(0),
                        .lost = reported.lost ? 1 : 0,
                        .ecn_marked = !reported.lost && is_marked ? 1 : 0});
  }

  void note_state(std::int64_t now_ns) {
    if (table_.state == nullptr) return;
    const char* now = table_.state(self_);
    if (now == nullptr || state_ == now) return;
    if (!state_.empty()) {
      events_.push_back(
          {.at_ns = now_ns, .name = "state", .text = "state " + state_ + " -> " + now});
    }
    state_ = now;
  }

  const farwheel_lab_controller& table_;
  void* self_;
  std::deque<Packet> packets_;  // from first_number_ on
  std::int64_t first_number_ = 0;
  std::int64_t in_flight_ = 0;
  std::int64_t due_ns_ = 0;
  std::int64_t sent_ = 0;
  std::int64_t delivered_ = 0;
  std::int64_t lost_ = 0;
  std::string state_;
  std::vector<farwheel_lab_result> results_;
  std::vector<LoggedEvent> events_;
};

}  // namespace

std::unique_ptr<Sender> make_plugin_sender(const FlowConfig& flow, std::uint64_t seed,
                                           const std::string& file) {
  const farwheel_lab_controller& table = load(file);
  const farwheel_lab_setup setup{.size = sizeof(farwheel_lab_setup),
                                 .packet_bytes = static_cast<std::uint32_t>(kWireBytes),
                                 .seed = seed,
                                 .params = flow.params.c_str()};
  void* self = table.create(&setup);
  if (self == nullptr) refuse(file, "refuses --params '" + flow.params + "'");
  return std::make_unique<PluginSender>(table, self);
}

}  // namespace farwheel::lab
