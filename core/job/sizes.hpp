#pragma once

#include <cstdint>
#include <string>

#include "core/job/setup.hpp"

namespace convoy::job {

// How much work a run does.
struct Sizes {
  std::uint32_t batch = 1;  // images per device and step
  std::int64_t warmup_steps = 0;
  std::int64_t timed_steps = 0;
  std::int64_t done_steps = 0;  // of those asked for, by earlier runs; none of timed_steps
  bool adapted = false;         // something was chosen to suit the devices
};

// Devices that the command line asks for, else as many as the machine naturally has, by the kind's
// plug-in.
std::uint32_t count_devices(const Setup& setup);

// Devices of all tasks together that compute, where each has so many.
std::uint32_t count_replicas(const Setup& setup, std::uint32_t devices);

// What the command line says, else the model's batch, 10 warm-up and 100 timed steps. Where nothing
// is said and the devices are CPUs, batch and steps are chosen so that the whole run takes about a
// minute: a GPU's defaults would take hours.
// Evaluation has a batch size of its own and no warm-up.
Sizes choose_sizes(const Setup& setup, std::uint32_t devices);

// Shortens a run that goes on from a checkpoint after `done` steps: steps count from the very first
// run on, warm-up included, whether this one trains or only computes forward. Returns what to tell;
// nothing when no step was done.
std::string shorten_resumed_run(Sizes& sizes, std::int64_t done);

}  // namespace convoy::job
