#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/job/plan_ground.hpp"
#include "core/job/setup.hpp"
#include "core/job/simulated_hardware.hpp"
#include "core/select/decision.hpp"

namespace convoy::job {

// What --variable_update=auto chooses for, besides the model and the flags.
struct ChoiceSubject {
  std::uint32_t hosts = 1;
  std::uint32_t devices = 1;  // per host
  std::uint32_t batch = 1;    // per device
};

// What the flags of a verb that runs nothing ask for. Without a number of devices it is what a run
// takes of this machine, or all devices of a described one. The batch is a run's, too.
ChoiceSubject imagined_subject(const Setup& setup, const SimulatedHardware& hardware,
                               std::optional<std::uint32_t> devices);

// The options of strategies that the command line gives: they hold for every candidate.
OptionValues given_strategy_options(const Setup& setup);

// Every installed strategy's variants with several sizes of buckets (--bucket_mb: that one), as
// the simulator sees them on this hardware.
select::Ranking rank_strategies(const Setup& setup, const SimulatedHardware& hardware,
                                const ChoiceSubject& subject);
// The same for the cluster and the storage of this ground.
select::Ranking rank_strategies(const Setup& setup, const SimulatedHardware& hardware,
                                const ChoiceSubject& subject, const SimulatedGround& ground);

// "8 devices of dgx1-p100": what predictions are for.
std::string describe_basis(const SimulatedHardware& hardware, const ChoiceSubject& subject);

// The best of the ranking; where the rule of thumb's variant is as fast, that one.
select::Decision choose_by_simulation(const Setup& setup, const SimulatedHardware& hardware,
                                      const ChoiceSubject& subject, const select::Ranking& ranking);

// Error kUsage when the flags ask for what only a training can do.
void refuse_measuring(const Setup& setup);

// For a verb that runs nothing: on the hardware that its flags describe, for that many devices per
// host (all when not given).
select::Decision choose_imagined(const Setup& setup, std::optional<std::uint32_t> devices);

// What a run with these flags takes, for a verb that looks at its plan: on a described machine,
// else on this one. Error kUsage where the flags only name hosts.
select::Decision choose_as_run_does(Setup& setup);

// Without a described machine: the rule of thumb. Error kUnavailable when no rule fits.
select::Decision choose_by_rule(const Setup& setup, bool on_host_processors);

}  // namespace convoy::job
