#include "tests/support/test_engine.hpp"

#include <fmt/format.h>

#include <utility>

namespace convoy::testing {

runtime::NetworkOptions options_of_task(std::uint32_t task, std::uint32_t tasks,
                                        plugin::OpenTransport& transport,
                                        std::function<double()> now) {
  runtime::NetworkOptions options;
  options.now = std::move(now);
  options.channels = tasks;
  for (std::uint32_t peer = 0; peer < tasks; ++peer)
    options.peers.push_back({fmt::format("task {}", peer), peer == task ? nullptr : &transport});
  return options;
}

}  // namespace convoy::testing
