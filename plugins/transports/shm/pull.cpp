#include "plugins/transports/shm/pull.hpp"

#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>

namespace convoy::shm {

int pull(pid_t process, void* to, std::uint64_t from, std::uint64_t bytes) {
  auto* next = static_cast<char*>(to);
  while (bytes > 0) {
    const iovec here{next, bytes};
    // NOLINTNEXTLINE(performance-no-int-to-ptr): an address of the other process.
    const iovec there{reinterpret_cast<void*>(from), bytes};
    const ssize_t count = ::process_vm_readv(process, &here, 1, &there, 1, 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return count < 0 ? errno : EFAULT;
    next += count;
    from += static_cast<std::uint64_t>(count);
    bytes -= static_cast<std::uint64_t>(count);
  }
  return 0;
}

bool tasks_may_pull() {
  int scope = 0;
  std::ifstream("/proc/sys/kernel/yama/ptrace_scope") >> scope;
  return scope == 0 || (scope < 3 && ::geteuid() == 0);
}

bool can_pull(pid_t process, const Probe& probe) {
  std::uint64_t value = 0;
  return process > 0 && pull(process, &value, probe.address, sizeof value) == 0 &&
         value == probe.value;
}

}  // namespace convoy::shm
