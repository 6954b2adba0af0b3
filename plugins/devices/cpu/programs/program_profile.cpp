#include "plugins/devices/cpu/programs/program_profile.hpp"

#include <algorithm>
#include <convoy/device.hpp>
#include <utility>

#include "plugins/devices/cpu/lanes/doorbell.hpp"

namespace convoy::cpu {

Task ProgramProfile::timed(Task task, std::size_t node, convoy_pass pass, convoy_profile_role role,
                           const std::string& implementation) {
  convoy_profile_record* charged = &record(node, pass, role, implementation);
  return [task = std::move(task), charged](const TaskContext& context) {
    const double start = monotonic_seconds();
    task(context);
    const double end = monotonic_seconds();
    const std::uint64_t slot = charged->calls++ % CONVOY_PROFILE_RECENT;
    charged->seconds += end - start;
    charged->recent_start[slot] = start;
    charged->recent_end[slot] = end;
  };
}

convoy_profile_record& ProgramProfile::record(std::size_t node, convoy_pass pass,
                                              convoy_profile_role role,
                                              const std::string& implementation) {
  convoy_profile_record wanted{};
  wanted.node = static_cast<std::uint32_t>(node);
  wanted.pass = pass;
  wanted.role = role;
  set_text(wanted.implementation, implementation);
  const auto same = std::find_if(records_.begin(), records_.end(), [&](const auto& other) {
    return other.node == wanted.node && other.pass == wanted.pass && other.role == wanted.role &&
           std::string(other.implementation) == wanted.implementation;
  });
  return same != records_.end() ? *same : records_.emplace_back(wanted);
}

}  // namespace convoy::cpu
