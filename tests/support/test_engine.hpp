#pragma once

#include <functional>

#include "core/runtime/network/network_engine.hpp"

namespace convoy::testing {

// Returns the options of a task's engine: one transport to all others, which are called "task 0",
// "task 1".
runtime::NetworkOptions options_of_task(std::uint32_t task, std::uint32_t tasks,
                                        plugin::OpenTransport& transport,
                                        std::function<double()> now);

}  // namespace convoy::testing
