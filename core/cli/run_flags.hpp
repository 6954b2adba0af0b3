#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/cli/flag_table.hpp"

namespace convoy {

// The flags of `convoy run` that do not come from plug-ins: names and meaning of tf_cnn_benchmarks
// where it has the like, convoy's own otherwise. Options of strategies are not here: they are added
// from the manifests, then add_missing_strategy_flags.
FlagTable run_flag_table();

// Options that strategies of tf_cnn_benchmarks had and that the table does not have: their old
// defaults are accepted, so that published command lines run, and anything else is refused, naming
// the chosen strategy and those that have the option. To be called after the options of the chosen
// strategy were added.
using OptionOwners = std::map<std::string, std::vector<std::string>>;
void add_missing_strategy_flags(FlagTable& table, const std::string& strategy,
                                const OptionOwners& owners);

// Those about evaluation and inference, a part of the table.
std::vector<FlagDefinition> evaluation_flags();

// Flags of tf_cnn_benchmarks that convoy knows by name only: those that it cannot do yet, those of
// several hosts, and those that mean nothing outside TensorFlow.
std::vector<FlagDefinition> historical_flags();

}  // namespace convoy
