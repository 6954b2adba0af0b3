#include "core/cli/verbs/qualify.hpp"

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/files/output_file.hpp"
#include "core/base/text/json.hpp"
#include "core/base/version.hpp"
#include "core/cli/flags/bind.hpp"
#include "core/cli/flags/command.hpp"
#include "core/cli/flags/flag_parser.hpp"
#include "core/cli/flags/refused_flags.hpp"
#include "core/cli/flags/verb_arguments.hpp"
#include "core/cli/show/qualification_text.hpp"
#include "core/cli/show/terminal.hpp"
#include "core/cli/verbs/verbs.hpp"
#include "core/job/sharing_nothing.hpp"
#include "core/job/tasks/task.hpp"
#include "core/qualify/judge.hpp"
#include "core/qualify/qualify_cluster.hpp"
#include "core/report/environment.hpp"
#include "core/report/html/write_report.hpp"

namespace convoy::cli {
namespace {

constexpr VerbUsage kQualifyUsage = {
    "qualify [flags]",
    "Measures every device, link and core of this machine, collectives, storage, decoding and a "
    "short training. It compares each rate with the expected one (from the catalogue, `convoy "
    "calibrate` or the simulator) and with the same rate of other devices and hosts. It names what "
    "is slow and, if it can find one, the reason; then the exit code is 4. The flags are those of "
    "convoy run: devices, model, data, tasks. On several hosts the tasks are started as for convoy "
    "run (`convoy launch --workers=2 -- qualify`), and worker 0 ranks all hosts. Nothing else "
    "should be running."};

VerbFlags qualify_flags(QualifyRequest& request) {
  return [&request](RunCommand&) {
    FlagDefinition threshold = bind_flag(
        "threshold", request.threshold, Bounds{0, 1},
        "A rate passes if it is at least this fraction of its minimum: the expected rate, less "
        "the prediction's error.");
    FlagDefinition quick =
        bind_flag("quick", request.quick,
                  "A rough measurement: smaller vectors, fewer sizes and a smaller batch.");
    threshold.group = quick.group = "Qualification";
    return std::vector<FlagDefinition>{std::move(threshold), std::move(quick)};
  };
}

// This is checked before the work, not after it.
void check_files(const JobOptions& options) {
  check_record_file(options.output_file, "qualify");
  if (!options.report_file.empty()) report::check_report_path(options.report_file);
}

// Flags of run that concern its training or its repeats. Qualify has neither.
std::vector<RefusedFlag> flags_of_training() {
  const char* const reason = "qualify makes measurements of its own";
  std::vector<RefusedFlag> flags =
      flags_of_runs({.profile = reason, .repeat = reason, .against = reason, .modes = reason});
  for (const char* name : {"variable_update", "train_dir", "init_weights", "trace_file"})
    flags.push_back({.name = name, .reason = reason});
  return flags;
}

class QualifyVerb {
 public:
  QualifyVerb(JobCommand command, const QualifyRequest& request,
              std::span<const std::string> arguments, std::ostream& out, std::ostream& err)
      : identity_(job::identify(command.options)), out_(out) {
    result_.threshold = request.threshold;
    result_.quick = request.quick;
    result_.command_line.assign(arguments.begin(), arguments.end());
    take_tasks(command.options);
    check_files(command.options);
    setup_ = std::make_unique<job::Setup>(job::set_up_run(
        std::move(command.options), std::move(command.catalog), job::warnings_only(log_to(err))));
    terminal_ = std::make_unique<Terminal>(setup_->options, interrupt_, out, err);
    for (const std::string& notice : command.notices) terminal_->notice(notice);
  }

  int run() {
    const report::Environment environment = report::detect_environment(kVersion);
    result_.convoy_version = environment.convoy_version;
    result_.start_time = environment.start_time;
    measure();
    const bool is_chief = !identity_ || identity_->is_chief();
    if (!is_chief) return static_cast<int>(ExitCode::kOk);
    qualify::judge(result_.hosts, result_.threshold);
    print_qualification(out_, result_);
    write_files();
    return static_cast<int>(qualify::all_pass(result_.hosts) ? ExitCode::kOk
                                                             : ExitCode::kThreshold);
  }

 private:
  void take_tasks(JobOptions& options) const {
    if (!identity_) return;
    if (identity_->servers > 0 || identity_->role != network::Role::kWorker)
      fail(ExitCode::kUsage,
           "qualify has no parameter servers and no controller: leave out --ps_hosts, --servers "
           "and --controller_host; every host is a worker");
    options.task.workers = static_cast<std::uint32_t>(identity_->workers);
    if (identity_->is_chief()) return;
    options.output_file.clear();
    options.report_file.clear();
  }

  void measure() {
    qualify::ProbeOptions options;
    options.quick = result_.quick;
    options.tell = [this](const std::string& what) {
      if (const ExitCode code = terminal_->interruption(); code != ExitCode::kOk)
        fail(code, "interrupted before {}", what);
      terminal_->progress("measuring: " + what);
    };
    interrupt_.end_after_steps();
    if (!identity_) {
      result_.hosts = {qualify::qualify_this_host(*setup_, options)};
    } else {
      job::Task task(*identity_, setup_->options.task, job::introduce(*setup_), *terminal_);
      result_.hosts = qualify::qualify_hosts(*setup_, task, options, job::log_to(*terminal_));
    }
    terminal_.reset();  // erases its progress line
  }

  void write_files() const {
    const JobOptions& options = setup_->options;
    const std::string text = json_text(qualify::qualification_json(result_), 2) + "\n";
    if (!options.output_file.empty()) write_output_file(options.output_file, text);
    if (!options.report_file.empty())
      report::write_report({report::parse_record("this qualification", text)}, options.report_file);
  }

  std::optional<network::TaskIdentity> identity_;
  std::ostream& out_;
  InterruptGuard interrupt_;
  std::unique_ptr<job::Setup> setup_;
  std::unique_ptr<Terminal> terminal_;
  qualify::Qualification result_;
};

}  // namespace

JobCommand read_qualify_command(std::span<const std::string> arguments, QualifyRequest& request) {
  refuse_flags(arguments, flags_of_training());
  return read_command(arguments, qualify_flags(request));
}

int run_qualify_verb(std::span<const std::string> arguments, std::ostream& out, std::ostream& err) {
  QualifyRequest request;
  if (wants_help(arguments)) {
    out << usage_text(kQualifyUsage) +
               command_help(arguments, qualify_flags(request), flags_of_training());
    return static_cast<int>(ExitCode::kOk);
  }
  JobCommand command = read_qualify_command(arguments, request);
  // A strategy of its own writes the probes. This one is only a placeholder.
  command.options.variable_update =
      job::strategy_that_shares_nothing(command.catalog, "qualify").manifest.name;
  return QualifyVerb(std::move(command), request, arguments, out, err).run();
}

}  // namespace convoy::cli
