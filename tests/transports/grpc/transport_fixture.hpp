#pragma once

#include <functional>
#include <string>

#include "core/conformance/transport_conformance.hpp"

namespace convoy::grpc_transport {

// What comes of two ends of the transport, each in a process of its own, that do this; empty: both
// are right. `victim` may end or stop in the middle.
std::string outcome_of(std::function<void(conformance::TransportEnd& end)> check,
                       std::uint32_t victim = CONVOY_NONE);

}  // namespace convoy::grpc_transport
