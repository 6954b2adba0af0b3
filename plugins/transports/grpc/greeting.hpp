#pragma once

#include "plugins/transports/grpc/frame.hpp"
#include "plugins/transports/grpc/settings.hpp"

namespace convoy::grpc_transport {

// What this task says first on a connection of a pair.
Hello make_hello(const Settings& settings, std::uint32_t connection);

// What the other end says first. Throws RefusedInput when it is none, or when it is of another run.
Hello read_hello(const grpc::ByteBuffer& message, const Settings& settings);

}  // namespace convoy::grpc_transport
