#pragma once

#include <convoy/abi.h>

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "plugins/devices/cpu/layers/layer.hpp"
#include "plugins/devices/cpu/onednn.hpp"
#include "plugins/devices/cpu/programs/program_profile.hpp"
#include "plugins/devices/cpu/programs/task.hpp"
#include "plugins/devices/cpu/programs/workspace.hpp"

namespace convoy::cpu {

// Memory that a submission provides.
enum class External { kParameters = 0, kGradients = 1, kImages = 2 };

// One replica's compiled layers: lists of tasks per segment over one workspace. It runs on the
// thread that compiled it. A step is FORWARD of all segments in order, then BACKWARD in reverse.
// For inference there is no BACKWARD.
class Program {
 public:
  Program();

  // Points the memory objects to the submission's memory and runs the segment's tasks.
  void run(const convoy_submission& submission);

  // Null unless it was compiled with CONVOY_COMPILE_PROFILE.
  const ProgramProfile* profile() const { return profile_.get(); }
  convoy_program_memory memory() const {
    return {sizeof(convoy_program_memory), workspace_.bytes(), workspace_.scratchpad_bytes()};
  }

 private:
  friend class ProgramBuilder;

  struct Binding {
    dnnl::memory memory;
    std::size_t first;  // element
  };
  struct Bindings {
    const void* base = nullptr;
    std::vector<Binding> items;
  };

  void bind(External which, const float* base);

  dnnl::engine engine_;
  dnnl::stream stream_;
  Workspace workspace_;
  std::array<Bindings, 3> external_;
  bool inference_ = false;
  std::unique_ptr<ProgramProfile> profile_;
  std::vector<std::unique_ptr<Layer>> layers_;
  std::vector<TaskList> forward_;
  std::vector<TaskList> backward_;
};

// Builds the layers for the layouts in the graph; throws with the reason when it cannot.
std::unique_ptr<Program> compile_program(const convoy_compilation& what);

// Proposes the storage of every variable that the forward pass prefers.
void propose_layouts(const convoy_compilation& what, convoy_layout* out);

void run_program(const convoy_submission& submission);

}  // namespace convoy::cpu
