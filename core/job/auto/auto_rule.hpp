#pragma once

#include <vector>

#include "core/job/hardware/simulated_hardware.hpp"
#include "core/job/setup.hpp"
#include "core/plugin/catalog.hpp"
#include "core/select/decision.hpp"

namespace convoy::job {

std::vector<plugin::Manifest> installed_strategies(const plugin::Catalog& catalog);

// Returns the options of strategies that the job gives. They hold for every candidate.
plugin::OptionValues given_strategy_options(const Setup& setup);

// Makes the choice by the rule of thumb. The hardware is known, or only its kind is. Error
// kUnavailable if no rule fits.
select::Decision choose_by_rule(const Setup& setup, const SimulatedHardware& hardware);
select::Decision choose_by_rule(const Setup& setup, bool on_host_processors);

}  // namespace convoy::job
