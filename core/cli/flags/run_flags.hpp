#pragma once

#include <convoy/job_options.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/cli/flags/flag_parser.hpp"
#include "core/cli/flags/flag_table.hpp"

namespace convoy::cli {

// The values that the flags of `convoy run` set: the job's options, and values from which these are
// completed.
struct RunCommand {
  JobOptions options;
  std::optional<std::uint32_t> num_gpus;
  std::optional<std::uint32_t> repeats;  // number of runs of the whole command
  std::string against;          // flags of the other command, whose runs take turns with these
  std::string against_program;  // the convoy program of those runs; empty: this one
  bool quiet = false;
  bool verbose = false;  // prints details that runs otherwise keep to themselves
};

// The flags of `convoy run` that do not come from plug-ins, bound to the fields of `command`: with
// the names and meaning of tf_cnn_benchmarks where it has such a flag. Options of strategies are
// not included; they are added from the manifests, and then by add_missing_strategy_flags.
FlagTable run_flag_table(RunCommand& command);

// To be called after parsing. Sets what depends on several flags, the options of plug-ins, and the
// text of all flags. Error(kUsage) if flags contradict each other.
void complete(RunCommand& command, const ParsedFlags& flags,
              const std::vector<std::string>& plugin_options);

// The strategies that declare an option.
struct OptionOwners {
  bool is_switch = false;  // it may stand without a value
  std::vector<std::string> strategies;
};
// Adds flags for options that other strategies have, or strategies of tf_cnn_benchmarks had, and
// that the table does not have. They are refused, naming the chosen strategy and those that have
// the option; but the old defaults are accepted, so that published command lines run. To be called
// after the options of the chosen strategy were added.
void add_missing_strategy_flags(FlagTable& table, const std::string& strategy,
                                const std::map<std::string, OptionOwners>& owners);

// Error(kUsage) for a strategy that tf_cnn_benchmarks had and convoy does not have. The text says
// which one to use instead.
void refuse_historical_strategy(const std::string& name);

// Parts of the table: evaluation and inference; the update rule; gradients before it; the learning
// rate; reports; tasks on several hosts.
std::vector<FlagDefinition> evaluation_flags(EvaluationOptions& evaluation);
std::vector<FlagDefinition> optimizer_flags(OptimizerOptions& options);
std::vector<FlagDefinition> gradient_flags(GradientOptions& options);
std::vector<FlagDefinition> learning_rate_flags(LearningRateOptions& options);
std::vector<FlagDefinition> report_flags(RunCommand& command);
std::vector<FlagDefinition> task_flags(TaskOptions& options, MachineOptions& machine);

// Returns a sentence for each given flag that belongs to another update rule than the chosen one.
std::vector<std::string> notices_on_other_optimizers(const ParsedFlags& flags);

// Flags of tf_cnn_benchmarks that convoy knows by name only: they belong to features that it lacks,
// or mean nothing outside TensorFlow.
std::vector<FlagDefinition> historical_flags();

}  // namespace convoy::cli
