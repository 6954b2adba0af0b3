#pragma once

#include <convoy/abi.h>

#include <cstddef>
#include <deque>
#include <string>
#include <vector>

#include "plugins/devices/cpu/programs/task.hpp"

namespace convoy::cpu {

// The times of one program's tasks, added up per layer, pass and implementation. Read and written
// on the device's thread only.
class ProgramProfile {
 public:
  // Returns the task with a clock around it. It refers to this object, which must outlive it.
  Task timed(Task task, std::size_t node, convoy_pass pass, convoy_profile_role role,
             const std::string& implementation);

  // Returns the records in the order in which tasks were added.
  std::vector<convoy_profile_record> records() const { return {records_.begin(), records_.end()}; }

 private:
  convoy_profile_record& record(std::size_t node, convoy_pass pass, convoy_profile_role role,
                                const std::string& implementation);

  // A deque, because the addresses of records must not change
  std::deque<convoy_profile_record> records_;
};

}  // namespace convoy::cpu
