#include "core/runtime/network/wake_up.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <vector>

#include "core/base/error.hpp"

namespace convoy::runtime {

WakeUp::WakeUp() : event_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (event_ < 0)
    fail(ExitCode::kUnavailable,
         "the network's thread cannot be woken: eventfd failed ({}); raise the limit of open files "
         "(ulimit -n)",
         std::strerror(errno));
}

WakeUp::~WakeUp() {
  close(event_);
}

void WakeUp::ring() {
  const std::uint64_t one = 1;
  // A full counter wakes as well.
  static_cast<void>(!write(event_, &one, sizeof(one)));
}

void WakeUp::sleep(std::span<const int> descriptors, double seconds) {
  std::vector<pollfd> points{{event_, POLLIN, 0}};
  for (const int descriptor : descriptors) points.push_back({descriptor, POLLIN, 0});
  timespec limit{};
  limit.tv_sec = static_cast<time_t>(seconds);
  limit.tv_nsec = static_cast<long>((seconds - static_cast<double>(limit.tv_sec)) * 1e9);
  ppoll(points.data(), points.size(), &limit, nullptr);
  std::uint64_t rings = 0;
  static_cast<void>(!read(event_, &rings, sizeof(rings)));
}

}  // namespace convoy::runtime
