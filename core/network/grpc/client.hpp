#pragma once

#include <memory>

#include "core/network/wire.hpp"

namespace convoy::network {

std::unique_ptr<WireClient> make_grpc_client(const HostPort& address, const WireSecurity& security,
                                             ClientEvents& events);

}  // namespace convoy::network
