#pragma once

// Numbers of places, replicas and sets. Each has a type of its own, so that master(replica) does
// not compile.

#include <convoy/abi/common.h>

#include <compare>
#include <cstdint>

namespace convoy {

namespace detail {

template <typename Tag>
class Id {
 public:
  constexpr Id() = default;
  constexpr explicit Id(std::uint32_t index) : index_(index) {}
  constexpr std::uint32_t index() const { return index_; }
  friend constexpr auto operator<=>(Id, Id) = default;

 private:
  std::uint32_t index_ = 0;
};

}  // namespace detail

// Where memory lives and element-wise work runs: a device, or the memory of a host.
using PlaceId = detail::Id<struct PlaceTag>;
// A copy of the model on one device. Replicas are numbered from 0 over all hosts.
using ReplicaId = detail::Id<struct ReplicaTag>;
// A replica may have several parameters and gradients, which a strategy rotates: sets 0 to 15.
using SetId = detail::Id<struct SetTag>;

}  // namespace convoy
