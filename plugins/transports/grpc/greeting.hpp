#pragma once

#include "plugins/transports/grpc/frame.hpp"
#include "plugins/transports/grpc/settings.hpp"

namespace convoy::grpc_transport {

// Returns the first message of this task on a connection of a pair.
Hello make_hello(const Settings& settings, std::uint32_t connection);

// Reads the first message of the other end. Throws RefusedInput when it is malformed or of another
// run.
Hello read_hello(const grpc::ByteBuffer& message, const Settings& settings);

}  // namespace convoy::grpc_transport
