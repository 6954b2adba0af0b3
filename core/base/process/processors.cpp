#include "core/base/process/processors.hpp"

#include <sched.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <thread>

namespace convoy {
namespace {

struct FreeSet {
  void operator()(cpu_set_t* set) const { CPU_FREE(set); }
};

// The process's set is that of its first thread. Devices bind threads of their own.
std::vector<unsigned> allowed_to_process() {
  constexpr unsigned kMostUnits = 1 << 20;
  std::vector<unsigned> allowed;
  // The kernel refuses a set that is smaller than its own.
  for (unsigned units = CPU_SETSIZE; units <= kMostUnits; units *= 2) {
    const std::unique_ptr<cpu_set_t, FreeSet> set(CPU_ALLOC(units));
    const std::size_t bytes = CPU_ALLOC_SIZE(units);
    if (::sched_getaffinity(::getpid(), bytes, set.get()) != 0) {
      if (errno == EINVAL) continue;
      break;
    }
    for (unsigned unit = 0; unit < units; ++unit)
      if (CPU_ISSET_S(unit, bytes, set.get())) allowed.push_back(unit);
    break;
  }
  return allowed;
}

}  // namespace

std::vector<unsigned> usable_processors() {
  std::vector<unsigned> processors = allowed_to_process();
  if (!processors.empty()) return processors;
  for (unsigned unit = 0; unit < std::thread::hardware_concurrency(); ++unit)
    processors.push_back(unit);
  if (processors.empty()) processors.push_back(0);
  return processors;
}

unsigned count_usable_processors() {
  return static_cast<unsigned>(usable_processors().size());
}

}  // namespace convoy
