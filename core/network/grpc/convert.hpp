#pragma once

#include "core/network/messages.hpp"
#include "grpc/control.pb.h"

namespace convoy::network {

// Converts between plain data and protobuf messages. The wire may deliver anything, so reading
// throws std::invalid_argument if a message is empty or a value is not one of its type.
void write(const TaskMessage& message, v1::TaskMessage& to);
void write(const CoordinatorMessage& message, v1::CoordinatorMessage& to);
TaskMessage read(const v1::TaskMessage& from);
CoordinatorMessage read(const v1::CoordinatorMessage& from);

}  // namespace convoy::network
