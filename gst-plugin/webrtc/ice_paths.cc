#include "webrtc/ice_paths.h"

#include <cstring>
#include <mutex>
#include <utility>

#include "webrtc/ice_check.h"
#include "webrtc/ice_route.h"

namespace farwheel {
namespace {

// Of an ICE priority, what does not depend on the candidate's type (RFC 8445 section 5.1.2.1).
constexpr std::uint32_t kWithoutType = 0x00ffffff;

using Candidates = std::vector<NiceCandidate*>;

class CandidateList {
 public:
  explicit CandidateList(GSList* list) : list_(list) {}
  ~CandidateList() {
    g_slist_free_full(list_,
                      [](gpointer c) { nice_candidate_free(static_cast<NiceCandidate*>(c)); });
  }
  CandidateList(const CandidateList&) = delete;
  CandidateList& operator=(const CandidateList&) = delete;
  Candidates usable() const {
    Candidates found;
    for (const GSList* each = list_; each; each = each->next) {
      auto* candidate = static_cast<NiceCandidate*>(each->data);
      if (candidate->transport == NICE_CANDIDATE_TRANSPORT_UDP &&
          candidate->type != NICE_CANDIDATE_TYPE_RELAYED) {
        found.push_back(candidate);
      }
    }
    return found;
  }

 private:
  GSList* list_;
};

std::string foundation_of(const NiceCandidate& candidate) {
  return std::string(candidate.foundation,
                     strnlen(candidate.foundation, sizeof candidate.foundation));
}

IcePath path_of(const NiceCandidate& local, const NiceCandidate& remote) {
  return {local.addr, remote.addr, foundation_of(local), foundation_of(remote), local.priority, {}};
}

bool select(NiceAgent* agent, const IcePath& path) {
  return nice_agent_set_selected_pair(agent, kIceStream, kIceComponent,
                                      path.local_foundation.c_str(),
                                      path.remote_foundation.c_str());
}

}  // namespace

struct IcePaths::Guard {
  explicit Guard(Side of) : side(of) {}

  static void on_selected(NiceAgent* agent, guint, guint, NiceCandidate* local,
                          NiceCandidate* remote, gpointer data) {
    const auto self = *static_cast<std::shared_ptr<Guard>*>(data);
    std::optional<IcePath> kept;
    {
      std::lock_guard lock(self->mutex);
      if (!self->wanted) return;
      const bool same =
          nice_address_equal(&self->wanted->remote, &remote->addr) &&
          (self->side == Side::kStation || nice_address_equal(&self->wanted->local, &local->addr));
      if (same) return;
      if (self->side == Side::kStation && remote->priority >> 24 == kIceCheckType) {
        // The vehicle's NAT moved, and its check told.
        self->wanted = path_of(*local, *remote);
        return;
      }
      kept = self->wanted;
    }
    select(agent, *kept);
  }
  static void free(gpointer data, GClosure*) { delete static_cast<std::shared_ptr<Guard>*>(data); }

  const Side side;
  std::mutex mutex;
  std::optional<IcePath> wanted;
};

IcePaths::IcePaths(GObjectPtr<GObject> agent, Side side)
    : agent_(std::move(agent)), guard_(std::make_shared<Guard>(side)) {
  if (!this->agent()) return;
  handler_ = g_signal_connect_data(
      agent_.get(), "new-selected-pair-full", G_CALLBACK(&Guard::on_selected),
      new std::shared_ptr<Guard>(guard_), &Guard::free, static_cast<GConnectFlags>(0));
}

IcePaths::~IcePaths() {
  if (handler_ != 0) g_signal_handler_disconnect(agent_.get(), handler_);
}

NiceAgent* IcePaths::agent() const {
  return agent_ && NICE_IS_AGENT(agent_.get()) ? NICE_AGENT(agent_.get()) : nullptr;
}

std::vector<IcePath> IcePaths::all() const {
  std::vector<IcePath> paths;
  NiceCandidate* selected_local = nullptr;
  NiceCandidate* selected = nullptr;
  if (!agent() || !nice_agent_get_selected_pair(agent(), kIceStream, kIceComponent, &selected_local,
                                                &selected)) {
    return paths;
  }
  const CandidateList locals(nice_agent_get_local_candidates(agent(), kIceStream, kIceComponent));
  const CandidateList remotes(nice_agent_get_remote_candidates(agent(), kIceStream, kIceComponent));
  const Candidates others = remotes.usable();
  const Ipv4Routes routes;
  for (const NiceCandidate* local : locals.usable()) {
    if (local->type != NICE_CANDIDATE_TYPE_HOST) continue;
    const NiceCandidate* reached = selected;
    const Ipv4Route* route = routes.find(local->addr, selected->addr);
    for (std::size_t i = 0; !route && i < others.size(); ++i) {
      reached = others[i];
      route = routes.find(local->addr, reached->addr);
    }
    if (!route) continue;
    paths.push_back(path_of(*local, *reached));
    paths.back().uplink = {route->interface, route->metric};
  }
  return paths;
}

bool IcePaths::has_new_address() const {
  NiceCandidate* local = nullptr;
  NiceCandidate* remote = nullptr;
  if (!agent() ||
      !nice_agent_get_selected_pair(agent(), kIceStream, kIceComponent, &local, &remote)) {
    return false;
  }
  const CandidateList locals(nice_agent_get_local_candidates(agent(), kIceStream, kIceComponent));
  std::vector<NiceAddress> known;
  for (const NiceCandidate* each : locals.usable()) known.push_back(each->base_addr);
  return Ipv4Routes().has_other_than(known, remote->addr);
}

std::optional<std::size_t> IcePaths::current(const std::vector<IcePath>& paths) const {
  NiceCandidate* local = nullptr;
  NiceCandidate* remote = nullptr;
  if (!agent() ||
      !nice_agent_get_selected_pair(agent(), kIceStream, kIceComponent, &local, &remote)) {
    return std::nullopt;
  }
  // A peer-reflexive local candidate is the host's as a NAT shows it.
  for (std::size_t i = 0; i < paths.size(); ++i) {
    if (nice_address_equal(&paths[i].local, &local->addr) ||
        nice_address_equal(&paths[i].local, &local->base_addr)) {
      return i;
    }
  }
  return std::nullopt;
}

bool IcePaths::use(const IcePath& path) {
  if (!agent()) return false;
  std::optional<IcePath> before;
  {
    std::lock_guard lock(guard_->mutex);
    before = std::exchange(guard_->wanted, path);
  }
  if (select(agent(), path)) return true;
  std::lock_guard lock(guard_->mutex);
  guard_->wanted = before;
  return false;
}

bool IcePaths::follow(const Sender& sender) {
  NiceAddress address;
  nice_address_init(&address);
  if (!agent() || !nice_address_set_from_string(&address, sender.address.c_str())) return false;
  nice_address_set_port(&address, sender.port);
  const CandidateList remotes(nice_agent_get_remote_candidates(agent(), kIceStream, kIceComponent));
  NiceCandidate* found = nullptr;
  NiceCandidate* by_priority = nullptr;
  for (NiceCandidate* remote : remotes.usable()) {
    if (nice_address_equal(&remote->addr, &address)) found = remote;
    // The newest is last.
    if (remote->type == NICE_CANDIDATE_TYPE_PEER_REFLEXIVE &&
        (remote->priority & kWithoutType) == (sender.priority & kWithoutType)) {
      by_priority = remote;
    }
  }
  if (!found) found = by_priority;
  if (!found) return false;
  const CandidateList locals(nice_agent_get_local_candidates(agent(), kIceStream, kIceComponent));
  const Ipv4Routes routes;
  Candidates routed;
  for (NiceCandidate* local : locals.usable()) {
    if (local->type == NICE_CANDIDATE_TYPE_HOST && routes.find(local->addr, found->addr)) {
      routed.push_back(local);
    }
  }
  if (routed.empty()) return false;
  const IcePath path = path_of(*routed.front(), *found);
  const bool has_one_address = routed.size() == 1 && locals.usable().size() == 1;
  NiceCandidate* local = nullptr;
  NiceCandidate* remote = nullptr;
  if (nice_agent_get_selected_pair(agent(), kIceStream, kIceComponent, &local, &remote) &&
      nice_address_equal(&remote->addr, &found->addr)) {
    return true;  // told again
  }
  {
    std::lock_guard lock(guard_->mutex);
    guard_->wanted = path;
  }
  // By its address where that tells all: candidates behind one NAT share a foundation.
  if (has_one_address) {
    return nice_agent_set_selected_remote_candidate(agent(), kIceStream, kIceComponent, found);
  }
  return select(agent(), path);
}

}  // namespace farwheel
