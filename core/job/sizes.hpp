#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/job/setup.hpp"

namespace convoy::job {

// The amount of work of a run.
struct Sizes {
  std::uint32_t batch = 1;  // images per device and step
  std::int64_t warmup_steps = 0;
  std::int64_t timed_steps = 0;
  std::int64_t done_steps = 0;  // steps of earlier runs; not part of timed_steps
  bool adapted = false;         // some sizes were chosen to suit the devices
};

// Returns the number of devices that the options give, else the number that the plug-in of this
// kind counts on this machine.
std::uint32_t count_devices(const Setup& setup);

// Returns the number of replicas of all tasks together, if each worker has this number of devices.
std::uint32_t count_replicas(const Task* task, std::uint32_t devices);

// Returns the sizes that the options give, else the model's batch, 10 warm-up and 100 timed steps.
// For CPU devices, batch and steps that are not given are chosen so that the whole run takes about
// a minute, because a GPU's defaults would take hours. Evaluation has a batch size of its own and
// no warm-up.
Sizes choose_sizes(const Setup& setup, std::uint32_t devices);

// Shortens a run that continues from a checkpoint after `done` steps, so that it ends at the step
// at which an uninterrupted run would. Steps count from the first run on, including warm-up and
// steps that only compute forward. If no more steps are left than it would warm up with, all of
// them are timed. If epochs are counted instead, left_of_epochs is the number of steps left of the
// epochs and of the warm-up. Returns a notice, empty if `done` is 0.
std::string shorten_resumed_run(Sizes& sizes, std::int64_t done,
                                std::optional<std::int64_t> left_of_epochs);

}  // namespace convoy::job
