// The path model and BBRv2's states behind one class: packets sent and their fates in, pacing rate,
// congestion window and events out. It knows no feeds and no queues; SendController owns one and
// feeds it. Pure, deterministic, not thread-safe.
//
// Sources: draft-cardwell-iccrg-bbr-congestion-control-02; Adaptive BBRv2 (Algorithms 1 and 2) in
// adaptive/; fast bandwidth estimation in fbe/.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "controller_types.h"
#include "feedback/feedback_adapter.h"

namespace farwheel {

class BbrSender {
 public:
  explicit BbrSender(const ControllerConfig& config);
  ~BbrSender();
  BbrSender(BbrSender&&) noexcept;
  BbrSender& operator=(BbrSender&&) noexcept;

  void set_algorithm(Timestamp now, Algorithm);
  void set_startup(StartupKind);
  // "name=value,..."; empty on success, else what is wrong with which name and nothing changed.
  [[nodiscard]] std::string set_params(std::string_view text);
  [[nodiscard]] std::string params() const;

  // `inflight`: bytes in flight including this packet.
  void on_packet_sent(const SentPacket&, DataSize inflight);
  // A report on so many packets, likely from this one on, is about to be handled: what it is going
  // to touch is fetched meanwhile.
  void expect_report(PacketNumber first, std::size_t packets) const;
  // `inflight`: after the report was taken off. Handles reports of aged-out packets as well (fate
  // unknown: neither delivered nor lost).
  void on_report(Timestamp now, const FeedbackReport&, DataSize inflight);
  // The pacer ran empty with window to spare: what is in flight counts as application-limited.
  void on_application_limited(Timestamp now, DataSize inflight);
  // Frames were given up because they would have come too late.
  void on_frames_dropped(Timestamp now);
  // A camera's next frame begins to wait: what is in flight now its encoder could have spared.
  void on_frame(Timestamp now, DataSize inflight);
  void on_driver_queue(Timestamp now, const DriverQueueReport&);
  void on_tick(Timestamp now, DataSize inflight, std::optional<Timestamp> oldest_in_flight);
  // `likely`: what a flow of an application may expect of the new path until it is measured; empty:
  // start-up begins anew.
  void on_path_changed(Timestamp now, std::optional<DataRate> likely = std::nullopt);
  void on_start_bitrate(DataRate);

  DataRate pacing_rate() const;
  // A law that needs pairs and spread packets holds the rate.
  bool fills_path() const;
  DataSize cwnd() const;
  // The rate that the sum of the encoders may take: the model's bandwidth less what its bounds,
  // standing queue and driver queue take away; before anything is measured, the start bitrate.
  DataRate media_rate() const;
  // Every field that the model knows; feeds, pacer and totals are the caller's.
  void fill(Timestamp now, ControllerSnapshot& snapshot) const;
  [[nodiscard]] std::vector<ControllerEvent> take_events();
  // True once after a start that verified several times the rate of the first pictures: they were
  // blurred for a link that is better.
  [[nodiscard]] bool take_sharpening();
  TimeDelta smoothed_rtt() const;            // infinite until measured
  std::optional<TimeDelta> min_rtt() const;  // empty until measured

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace farwheel
