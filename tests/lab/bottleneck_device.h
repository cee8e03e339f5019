// The device at the bottleneck's sending end: a point-to-point device that may police what comes in
// (token bucket, no queue) and may be allowed to send at grants only, as a phone is by its cell.
#pragma once

#include <ns3/point-to-point-net-device.h>
#include <ns3/random-variable-stream.h>

#include <optional>

#include "lab_config.h"

namespace farwheel::lab {

class BottleneckDevice : public ns3::PointToPointNetDevice {
 public:
  static ns3::TypeId GetTypeId();
  BottleneckDevice();

  void police(const Policer& policer);
  // Grants are `model.slot_ms` apart, each of what the rate yields in that time; what is left of a
  // grant serves the next packet as long as one waits. Takes effect at the next packet.
  void grant(const GrantModel& model, double rate_mbps);
  std::int64_t policed_packets() const { return policed_packets_; }
  // The extra delay of what leaves now: a repeated block comes late.
  ns3::Time repeat_delay() const { return repeat_delay_; }

  bool Send(ns3::Ptr<ns3::Packet> packet, const ns3::Address& to, std::uint16_t protocol) override;

 private:
  bool conforms(std::int64_t bytes);
  bool queue_for_grant(ns3::Ptr<ns3::Packet> packet);
  void on_grant();

  std::optional<Policer> policer_;
  double bucket_ = 0;
  ns3::Time bucket_at_;
  std::int64_t policed_packets_ = 0;

  std::optional<GrantModel> grants_;
  double grant_bytes_ = 0;
  double credit_ = 0;
  bool grant_is_due_ = false;
  ns3::Time repeat_delay_;
  ns3::Ptr<ns3::UniformRandomVariable> random_;
};

}  // namespace farwheel::lab
