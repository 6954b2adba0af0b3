#pragma once

#include "core/network/messages.hpp"
#include "grpc/control.pb.h"

namespace convoy::network {

// Between plain data and what the wire carries. What comes from the wire may be anything: reading
// throws std::invalid_argument when a message is none or a value is not one of its type's.
void write(const TaskMessage& message, v1::TaskMessage& to);
void write(const CoordinatorMessage& message, v1::CoordinatorMessage& to);
TaskMessage read(const v1::TaskMessage& from);
CoordinatorMessage read(const v1::CoordinatorMessage& from);

}  // namespace convoy::network
