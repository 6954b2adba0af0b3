#pragma once

#include <memory>

#include "core/network/wire.hpp"

namespace convoy::network {

std::unique_ptr<WireServer> make_grpc_server(const HostPort& address, const WireSecurity& security,
                                             ServerEvents& events);

}  // namespace convoy::network
