#include "core/calibrate/processor_facts.hpp"

#include <hwloc.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/text/system_text.hpp"
#include "topology/detect/hwloc_topology.hpp"
#include "topology/detect/usable_cores.hpp"

namespace convoy::calibrate {
namespace {

constexpr std::uint64_t kMostCachePerCore = std::uint64_t{48} << 20;

topology::HwlocTopology load_topology() {
  topology::HwlocTopology machine = topology::load_hwloc([](hwloc_topology_t) {});
  if (machine == nullptr)
    fail(
        ExitCode::kUnavailable,
        "hwloc could not read this machine's topology; lstopo says more, and /sys must be mounted");
  return machine;
}

std::vector<std::string> processor_flags() {
  const std::string info = SystemRoot("/").text("proc/cpuinfo").value_or("");
  return words_of(value_of(info, "flags", ':').value_or(""));
}

bool has(const std::vector<std::string>& flags, const char* flag) {
  return std::ranges::find(flags, flag) != flags.end();
}

// Assumes two FMA units per core with 256 bits and one with 512 bits. Processors with more units
// are faster. All that have AMX have two with 512 bits.
void read_instructions([[maybe_unused]] const std::vector<std::string>& flags,
                       ProcessorFacts& facts) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) {
    facts.instructions = "AVX-512";
    facts.multiply_adds_per_cycle = has(flags, "amx_bf16") ? 32 : 16;
    return;
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    facts.instructions = "AVX2 and FMA";
    facts.multiply_adds_per_cycle = 16;
    return;
  }
#endif
  facts.instructions = "vectors of 128 bits";
  facts.multiply_adds_per_cycle = 4;
}

// Reads how many times faster products of bf16 are than those of f32, from the measurements in
// share/results/cpu_training.md. A processor without instructions for bf16 converts the factors
// first.
void read_half_instructions(const std::vector<std::string>& flags, ProcessorFacts& facts) {
  if (has(flags, "amx_bf16")) {
    facts.half_gain = 7;
    facts.half_instructions = "AMX";
  } else if (has(flags, "avx512_bf16")) {
    facts.half_gain = 2;
    facts.half_instructions = "AVX512_BF16";
  } else {
    facts.half_gain = 0.5;
    facts.half_instructions = "no instructions for bf16";
  }
}

}  // namespace

double processor_hertz(const SystemRoot& root) {
  const std::string core = "sys/devices/system/cpu/cpu0/";
  struct Source {
    const char* file;
    double unit;
  };
  for (const auto& [file, unit] :
       {Source{"cpufreq/base_frequency", 1e3}, Source{"acpi_cppc/nominal_freq", 1e6},
        Source{"cpufreq/cpuinfo_max_freq", 1e3}})
    if (const double number = static_cast<double>(root.number(core + file).value_or(0)); number > 0)
      return unit * number;
  const std::string info = root.text("proc/cpuinfo").value_or("");
  const std::string megahertz = value_of(info, "cpu MHz", ':').value_or("");
  return 1e6 * static_cast<double>(leading_number(megahertz).value_or(0));
}

std::uint64_t last_level_bytes(hwloc_topology_t machine) {
  const auto cores =
      static_cast<std::uint64_t>(std::max(hwloc_get_nbobjs_by_type(machine, HWLOC_OBJ_CORE), 1));
  for (const hwloc_obj_type_t type : {HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L2CACHE}) {
    std::uint64_t bytes = 0;
    const int count = hwloc_get_nbobjs_by_type(machine, type);
    for (int i = 0; i < count; ++i)
      bytes += hwloc_get_obj_by_type(machine, type, static_cast<unsigned>(i))->attr->cache.size;
    if (bytes > 0) return std::min(bytes, cores * kMostCachePerCore);
  }
  return 0;
}

ProcessorFacts read_processor_facts() {
  const topology::HwlocTopology machine = load_topology();
  ProcessorFacts facts;
  const topology::UsableCores cores = topology::usable_cores(machine.get());
  facts.cores = static_cast<std::uint32_t>(cores.cores.size());
  facts.machine_cores = std::max(facts.cores, static_cast<std::uint32_t>(cores.present));
  facts.packages = static_cast<std::uint32_t>(cores.packages);
  hwloc_obj_t package = hwloc_get_obj_by_type(machine.get(), HWLOC_OBJ_PACKAGE, 0);
  const char* name = package == nullptr ? nullptr : hwloc_obj_get_info_by_name(package, "CPUModel");
  if (name != nullptr) facts.model = name;
  facts.cache_bytes = last_level_bytes(machine.get());
  facts.memory_bytes = hwloc_get_root_obj(machine.get())->total_memory;
  facts.hertz = processor_hertz(SystemRoot("/"));
  const std::vector<std::string> flags = processor_flags();
  read_instructions(flags, facts);
  read_half_instructions(flags, facts);
  return facts;
}

}  // namespace convoy::calibrate
