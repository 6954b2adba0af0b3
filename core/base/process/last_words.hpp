#pragma once

#include <poll.h>
#include <unistd.h>

#include <string_view>

namespace convoy {

// Writes a short text to standard error, unless nobody reads it. Signal handlers and ending
// processes may call it, because it allocates nothing and takes no lock.
inline void say_at_once(std::string_view text) {
  constexpr int kPatience = 50;  // milliseconds
  pollfd output{STDERR_FILENO, POLLOUT, 0};
  if (::poll(&output, 1, kPatience) == 0) return;
  const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
  static_cast<void>(written);  // the reader may be gone
}

}  // namespace convoy
