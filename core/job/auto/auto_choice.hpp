#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/job/hardware/plan_target.hpp"
#include "core/job/hardware/simulated_hardware.hpp"
#include "core/job/setup.hpp"
#include "core/select/decision.hpp"

namespace convoy::job {

// The sizes of the run for which --variable_update=auto makes its choice.
struct ChoiceSubject {
  std::uint32_t hosts = 1;
  std::uint32_t devices = 1;  // per host
  std::uint32_t batch = 1;    // per device
};

// Returns the sizes for a verb that runs nothing. Without a number of devices, they are those of a
// run on this machine, or all devices of a described one. The batch is that of a run.
ChoiceSubject dry_run_subject(const Setup& setup, const SimulatedHardware& hardware,
                              std::optional<std::uint32_t> devices);

// Simulates the variants of every installed strategy on this hardware and ranks them. Each variant
// has several bucket sizes, or only that of --bucket_mb.
select::Ranking rank_strategies(const Setup& setup, const SimulatedHardware& hardware,
                                const ChoiceSubject& subject);
// The same for a target that is already known.
select::Ranking rank_strategies(const Setup& setup, const SimulatedHardware& hardware,
                                const ChoiceSubject& subject, const SimulatedTarget& target);

// Describes what predictions are for, such as "8 devices of dgx1-p100".
std::string describe_basis(const SimulatedHardware& hardware, const ChoiceSubject& subject);

// Returns the best of the ranking, or the variant of the rule of thumb if it is as fast.
select::Decision choose_by_simulation(const Setup& setup, const SimulatedHardware& hardware,
                                      const ChoiceSubject& subject, const select::Ranking& ranking);

// Error kUsage for --auto=measure, which is possible only in a training.
void refuse_measuring(const JobOptions& options);

// Makes the choice for a verb that runs nothing, on the hardware that its flags describe, with this
// number of devices per host (not set: all).
select::Decision choose_for_dry_run(const Setup& setup, std::optional<std::uint32_t> devices);

// Makes the choice of a run with these flags, for a verb that shows its plan. The hardware is a
// described machine, else this one. Error kUsage if the flags only name hosts.
select::Decision choose_as_run_does(Setup& setup);

}  // namespace convoy::job
