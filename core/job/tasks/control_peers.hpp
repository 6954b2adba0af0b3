#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/network/control_plane.hpp"
#include "core/runtime/network/peers.hpp"

namespace convoy::job {

// Sends the small messages of sessions over the control plane of the run.
class ControlPeers : public runtime::Peers {
 public:
  // `workers`: the number of first tasks that take steps of their own.
  ControlPeers(network::ControlPlane& control, int workers)
      : control_(control), workers_(workers) {}

  std::vector<std::string> exchange(std::string_view own) override;
  void begin_exchange(std::string_view own) override;
  std::optional<std::vector<std::string>> exchanged() override;
  void tell_steps(std::int64_t steps) override;
  std::optional<std::int64_t> steps_of_all() override;
  void request_drain(bool is_last) override;
  std::optional<bool> agreed_drain() override;
  void finish_drain() override;

 private:
  std::string next_round();

  network::ControlPlane& control_;
  int workers_;
  std::int64_t round_ = 0;
  std::string begun_;  // the round that exchanged() refers to
};

}  // namespace convoy::job
