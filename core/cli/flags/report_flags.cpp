#include "core/cli/flags/bind.hpp"
#include "core/cli/flags/run_flags.hpp"
#include "core/job/limits.hpp"
#include "core/job/options.hpp"

namespace convoy::cli {
namespace {

using Flags = std::vector<FlagDefinition>;

// Flags for the output and the files of a run.
Flags output_flags(JobOptions& options) {
  return {
      bind_option("display_every", options.display_every, "Print progress every this many steps."),
      bind_option("display_perf_ewma", options.display_perf_ewma,
                  "Prints an exponentially weighted moving average of the speed; this is the "
                  "weight of the newest step."),
      bind_words("loss_type_to_report", options.loss_type_to_report,
                 {job::kReportedLosses.begin(), job::kReportedLosses.end()},
                 "Whether the printed loss includes weight decay."),
      bind_flag("print_training_accuracy", options.print_training_accuracy,
                "Also print top-1 and top-5 of training batches."),
      common(bind_flag("output_file", options.output_file,
                       "Write the run's record here: .json, .jsonl or .csv.")),
      common(bind_flag(
          "report", options.report_file,
          "Write an offline page about the run here: report.html. convoy report makes such pages "
          "from stored records.")),
  };
}

// Flags for several runs instead of one.
Flags repeat_flags(RunCommand& command) {
  return {
      common(
          bind_flag("repeat", command.repeats, Bounds{1, kMostRepeats},
                    "Number of runs, each in a new process; the result is the median. convoy diff "
                    "compares two such records.",
                    "1")),
      bind_flag(
          "against", command.against,
          "Compare with runs of the same command plus these flags (separated by blanks), and say "
          "whether this command is faster. Both runs of a pair take turns of 20 ms or a "
          "step. The number of pairs is --repeat (5). --output_file=x.json gets the runs "
          "of this command, x.against.json the others."),
      bind_flag("against_program", command.against_program,
                "As --against, with runs of another convoy program: its path."),
  };
}

// Flags for the amount of other output.
Flags talk_flags(RunCommand& command) {
  return {
      bind_flag("quiet", command.quiet,
                "No notices and no progress on standard error. Errors are still printed."),
      bind_flag("verbose", command.verbose,
                "Also print the loaded plug-ins and their paths, the plan's size and hash, the "
                "preparation time, and messages of plug-ins for their authors."),
  };
}

// Flags for the record of where the time of steps goes.
Flags timeline_flags(JobOptions& options) {
  return {
      bind_flag("record_timeline", options.record_timeline,
                "Keep in the record the operations of the step nearest to the median, and those "
                "of the simulated plan; --report implies it."),
      bind_flag("trace_file", options.trace_file,
                "Write a timeline of one step here (Chrome trace): the last but one warm-up step, "
                "or the first timed step if there are fewer than two warm-up steps. On several "
                "hosts, worker 0 writes the operations of all tasks on one clock."),
      common(bind_flag(
          "profile", options.profile,
          "Print where the time of the timed steps went: per layer, by kind of layer, and "
          "between computation, aggregation, input and gaps.")),
  };
}

}  // namespace

Flags report_flags(RunCommand& command) {
  return joined({output_flags(command.options), repeat_flags(command), talk_flags(command),
                 timeline_flags(command.options)});
}

}  // namespace convoy::cli
