#include "plugins/devices/cpu/lanes/cores.hpp"

#include <algorithm>
#include <mutex>
#include <stdexcept>

namespace convoy::cpu {

// hwloc asks the system about every thread of the process. A thousand devices, which have a thread
// each, would otherwise ask a million questions.
CoreSet::Topology CoreSet::shared_topology() {
  static std::mutex mutex;
  static std::weak_ptr<hwloc_topology> in_use;
  const std::lock_guard lock(mutex);
  Topology known = in_use.lock();
  if (known == nullptr) in_use = known = load();
  return known;
}

CoreSet::Topology CoreSet::load() {
  hwloc_topology_t topology = nullptr;
  if (hwloc_topology_init(&topology) != 0) throw std::runtime_error("hwloc could not start");
  Topology owned(topology, TopologyDeleter());
  // Keeps the cores that this process may use. taskset, or a launcher of several tasks, may allow
  // fewer than the machine has.
  hwloc_topology_set_flags(
      topology, HWLOC_TOPOLOGY_FLAG_IS_THISSYSTEM | HWLOC_TOPOLOGY_FLAG_RESTRICT_TO_CPUBINDING);
  if (hwloc_topology_load(topology) != 0) {
    throw std::runtime_error("hwloc could not read this machine's topology");
  }
  return owned;
}

CoreSet::CoreSet(const Share& share) : topology_(shared_topology()), set_(hwloc_bitmap_alloc()) {
  choose_cores(share);
}

std::uint32_t CoreSet::natural_count() {
  const Topology machine = shared_topology();
  std::uint32_t nodes = 0;
  hwloc_obj_t node = nullptr;
  while ((node = hwloc_get_next_obj_by_type(machine.get(), HWLOC_OBJ_NUMANODE, node)) != nullptr) {
    if (hwloc_bitmap_iszero(node->cpuset) == 0) ++nodes;
  }
  return std::max<std::uint32_t>(nodes, 1);
}

// hwloc numbers cores so that neighbours are near each other, so consecutive cores make a device.
void CoreSet::choose_cores(const Share& share) {
  const int found = hwloc_get_nbobjs_by_type(topology_.get(), HWLOC_OBJ_CORE);
  const auto cores = static_cast<std::uint32_t>(std::max(found, 1));
  std::uint64_t first = std::uint64_t{share.index} * cores / share.devices;
  std::uint64_t last = std::uint64_t{share.index + 1} * cores / share.devices;
  if (share.devices > cores) {
    first = share.index % cores;
    last = first + 1;
    shares_cores_ = true;
  }
  // Cores beyond the device's threads are left to others, such as the threads that prepare images.
  if (share.threads != 0) last = std::min<std::uint64_t>(last, first + share.threads);
  for (std::uint64_t core = first; core < last; ++core) {
    const hwloc_obj_t object =
        hwloc_get_obj_by_type(topology_.get(), HWLOC_OBJ_CORE, static_cast<unsigned>(core));
    if (object != nullptr) hwloc_bitmap_or(set_.get(), set_.get(), object->cpuset);
  }
  if (hwloc_bitmap_iszero(set_.get()) != 0) {
    hwloc_bitmap_copy(set_.get(), hwloc_topology_get_allowed_cpuset(topology_.get()));
  }
  threads_ = share.threads != 0 ? share.threads : static_cast<std::uint32_t>(last - first);
  shares_cores_ = shares_cores_ || threads_ > last - first;
}

std::uint32_t CoreSet::numa_node() const {
  hwloc_obj_t found = nullptr;
  hwloc_obj_t node = nullptr;
  while ((node = hwloc_get_next_obj_by_type(topology_.get(), HWLOC_OBJ_NUMANODE, node)) !=
         nullptr) {
    if (hwloc_bitmap_intersects(node->cpuset, set_.get()) == 0) continue;
    if (found != nullptr) return CONVOY_NONE;
    found = node;
  }
  return found == nullptr ? CONVOY_NONE : found->os_index;
}

std::uint64_t CoreSet::memory_bytes() const {
  std::uint64_t bytes = 0;
  hwloc_obj_t node = nullptr;
  while ((node = hwloc_get_next_obj_by_type(topology_.get(), HWLOC_OBJ_NUMANODE, node)) !=
         nullptr) {
    if (hwloc_bitmap_intersects(node->cpuset, set_.get()) != 0) {
      bytes += node->attr->numanode.local_memory;
    }
  }
  return bytes;
}

std::string CoreSet::processor_model() const {
  hwloc_obj_t package = hwloc_get_obj_by_type(topology_.get(), HWLOC_OBJ_PACKAGE, 0);
  const char* name = package == nullptr ? nullptr : hwloc_obj_get_info_by_name(package, "CPUModel");
  const std::string model = name == nullptr ? "CPU" : name;
  return model + ", " + std::to_string(threads_) + (threads_ == 1 ? " thread" : " threads");
}

std::string CoreSet::list() const {
  char text[256];
  hwloc_bitmap_list_snprintf(text, sizeof text, set_.get());
  return text;
}

void CoreSet::bind_this_thread() const {
  hwloc_set_cpubind(topology_.get(), set_.get(), HWLOC_CPUBIND_THREAD);
}

}  // namespace convoy::cpu
