#include "core/cli/verbs/run_repeats.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>
#include <sstream>
#include <utility>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/files/output_file.hpp"
#include "core/base/numbers/statistics.hpp"
#include "core/base/text/json.hpp"
#include "core/cli/interrupt.hpp"
#include "core/cli/show/terminal.hpp"
#include "core/cli/verbs/children/child_environment.hpp"
#include "core/cli/verbs/children/child_in_turns.hpp"
#include "core/cli/verbs/children/child_program.hpp"
#include "core/cli/verbs/temporary_folder.hpp"
#include "core/network/launcher.hpp"
#include "core/report/compare/difference_text.hpp"
#include "core/report/html/write_report.hpp"
#include "core/report/progress.hpp"

namespace convoy::cli {
namespace {

using Json = nlohmann::ordered_json;

// Returns the command line of one run. It has no flags for files, which are written once for all
// runs.
std::vector<std::string> arguments_of_one(std::span<const std::string> arguments) {
  std::vector<std::string> words = {"run"};
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    const std::string name = word.substr(std::min(word.find_first_not_of('-'), word.size()),
                                         word.find('=') - word.find_first_not_of('-'));
    const bool own = word.starts_with("-") && is_of_all_runs(name);
    if (!own) words.push_back(word);
    if (own && word.find('=') == std::string::npos) ++i;
  }
  return words;
}

// Splits the value of --against into words.
std::vector<std::string> further_flags(const std::string& against) {
  std::istringstream in(against);
  std::vector<std::string> words;
  for (std::string word; in >> word;) {
    const std::size_t first = word.find_first_not_of('-');
    if (!word.starts_with("-") || first == std::string::npos)
      fail(ExitCode::kUsage, "--against: '{}' is not a flag; write --against=\"--bucket_mb=4\"",
           word);
    const std::string name = word.substr(first, word.find('=') - first);
    if (is_of_all_runs(name))
      fail(ExitCode::kUsage, "--against: --{} applies to all runs; leave it out", name);
    if (std::ranges::count(flags_of_one_run(), name) > 0 || name == "job_name")
      fail(ExitCode::kUsage, "--against: --{} is for one run, and there are several; leave it out",
           name);
    words.push_back(std::move(word));
  }
  return words;
}

// "x.json" gives "x.against.json".
std::string file_of_others(const std::string& file) {
  return std::filesystem::path(file).replace_extension(".against.json").string();
}

bool takes_turns(const JobCommand& command) {
  return !command.against.empty() || !command.against_program.empty();
}

void check_comparable(const JobCommand& command) {
  const JobOptions& options = command.options;
  if (takes_turns(command) && (options.input_only || options.evaluation.evaluate_only))
    fail(ExitCode::kUsage, "--{} and --{}: only timed steps are compared; leave out one of them",
         command.against.empty() ? "against_program" : "against",
         options.input_only ? "input_only" : "eval");
}

void check_repeatable(const JobCommand& command) {
  const JobOptions& options = command.options;
  const auto refuse = [&](const char* flag, const char* why) {
    fail(ExitCode::kUsage, "--{} and --{}: {}; leave out one of them",
         command.repeats.value_or(1) > 1 ? "repeat" : "against", flag, why);
  };
  if (!options.checkpoints.train_dir.empty())
    refuse("train_dir", "each run would continue where the previous one stopped");
  check_comparable(command);
  const auto launched = network::launched_process(network::process_environment());
  if (!options.task.job_name.empty() || (launched && launched->size > 1))
    fail(ExitCode::kUsage,
         "--{}: the tasks of a run on several hosts start together, only once; repeat the whole "
         "command, and compare the records by `convoy diff`",
         command.repeats.value_or(1) > 1 ? "repeat" : "against");
  if (!options.trace_file.empty()) refuse("trace_file", "a trace shows a single run");
  if (!options.output_file.empty()) {
    if (!options.output_file.ends_with(".json"))
      refuse("output_file", "repeats are written as .json");
    check_output_file(options.output_file);
    check_output_file(file_of_others(options.output_file));
  }
  if (!options.report_file.empty()) report::check_report_path(options.report_file);
  const std::string& program = command.against_program;
  if (!program.empty() && ::access(program.c_str(), X_OK) != 0)
    fail(ExitCode::kUsage, "--against_program={}: {}; give the path of a convoy", program,
         std::strerror(errno));
}

// The output of each run is not shown. The record has what one of them would have printed.
void tell_what_is_not_printed(const JobOptions& options, std::ostream& err) {
  if (!options.output_file.empty() || !options.report_file.empty()) return;
  for (const auto& [flag, is_given] :
       {std::pair{"profile", options.profile}, std::pair{"deterministic", options.deterministic},
        std::pair{"print_parameter_hash", options.print_parameter_hash}})
    if (is_given)
      print_notices(err, {fmt::format("--{} prints nothing for several runs; --output_file=x.json "
                                      "keeps that of one of them",
                                      flag)});
}

Json repeat_of(const Json& record, double began) {
  Json seconds = Json::array();
  for (const Json& step : record.at("steps")) seconds.push_back(step.at("seconds"));
  return {{"images_per_sec", record.at("total").at("images_per_sec")},
          {"began", began},
          {"standstills", record.value("standstills", Json::array())},
          {"seconds", std::move(seconds)}};
}

double seconds_since_1970() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

Json read_record(const std::filesystem::path& file) {
  std::ifstream in(file);
  return parse_ordered_json(in);
}

struct FinishedRun {
  std::filesystem::path record;
  double images_per_second = 0;  // 0: unknown
};

// One command and its runs.
struct RepeatedCommand {
  std::string program;  // empty: this program
  std::vector<std::string> words;
  std::vector<std::string> command_line;  // as it stands in a record
  std::filesystem::path file;             // where a run writes its record
  std::vector<FinishedRun> runs;
  Json repeats = Json::array();
  std::vector<double> rates;

  // Adds the record of a successful run.
  void add(double began) {
    FinishedRun run{fmt::format("{}.{}", file.string(), runs.size() + 1)};
    repeats.push_back(repeat_of(read_record(file), began));
    if (const Json& rate = repeats.back()["images_per_sec"]; rate.is_number()) {
      run.images_per_second = rate.get<double>();
      rates.push_back(run.images_per_second);
    }
    std::filesystem::rename(file, run.record);
    runs.push_back(std::move(run));
  }

  // Returns the record of the run with the median speed. So values that belong to a single run are
  // not those of an outlier.
  Json median_record() {
    std::ranges::stable_sort(runs, {}, &FinishedRun::images_per_second);
    return read_record(runs[(runs.size() - 1) / 2].record);
  }
};

class Repeater {
 public:
  Repeater(const JobCommand& command, std::span<const std::string> arguments, std::ostream& out,
           std::ostream& err)
      : command_(command),
        repeats_(command.repeats.value_or(takes_turns(command) ? kPairs : 1)),
        out_(out),
        err_(err),
        progress_(err, report::standard_error_is_terminal()) {
    interrupt_.end_quietly();  // the runs that have finished are kept
    own_.words = arguments_of_one(arguments);
    own_.command_line.assign(arguments.begin(), arguments.end());
    other_.words = own_.words;
    for (std::string& word : further_flags(command.against))
      other_.words.push_back(std::move(word));
    other_.command_line.assign(other_.words.begin() + 1, other_.words.end());  // without "run"
    other_.program = command.against_program;
    for (RepeatedCommand* it : {&own_, &other_}) {
      it->file = folder_.path() / (it == &own_ ? "run.json" : "against.json");
      it->words.push_back("--output_file=" + it->file.string());
      if (!command.options.report_file.empty()) it->words.emplace_back("--record_timeline");
    }
  }

  // If a later run fails or is interrupted, the finished runs are still the result.
  int run() {
    try {
      take_runs();
    } catch (const Error&) {
      try {
        keep();
      } catch (const Error& second) {
        err_ << fmt::format("convoy: the finished runs could not be saved: {}\n", second.what());
      }
      throw;
    }
    keep();
    return static_cast<int>(interrupt_.code());
  }

 private:
  static constexpr std::uint32_t kPairs = 5;
  // Long enough for several steps of small networks or one step of a large one. It is short
  // compared with disturbances: cores of a virtual machine changed their speed by a quarter for 0.2
  // s at a time.
  static constexpr std::chrono::milliseconds kSlice{20};

  void take_runs() {
    for (std::uint32_t number = 1; number <= repeats_ && !interrupt_.requested(); ++number) {
      progress_.show(fmt::format("run {} of {}", number, repeats_));
      const bool finished = takes_turns(command_) ? take_pair(number) : take_run(number);
      progress_.clear();
      if (!finished) {
        err_ << fmt::format("convoy: interrupted in run {} of {}, of which nothing is kept\n",
                            number, repeats_);
        break;
      }
      print_run(number);
    }
  }

  void keep() {
    print_total();
    if (!own_.runs.empty()) write_files();
  }

  std::function<bool()> stop() const {
    return [this] { return interrupt_.requested(); };
  }

  // Returns false if it was interrupted.
  bool take_run(std::uint32_t number) {
    const double began = seconds_since_1970();
    const ChildOutcome outcome = run_child_program(own_.words, stop());
    if (interrupt_.requested()) return false;
    finish(own_, outcome, number, began);
    return true;
  }

  // Executes both runs at the same time, in turns. The two commands alternate in starting first.
  // Returns false if they were interrupted; then neither counts.
  bool take_pair(std::uint32_t number) {
    RepeatedCommand& first = number % 2 == 1 ? other_ : own_;
    RepeatedCommand& second = number % 2 == 1 ? own_ : other_;
    const double first_began = seconds_since_1970();
    const std::unique_ptr<ChildInTurns> one = start(first);
    if (failed(*one)) finish(first, one->outcome(), number, first_began);
    const double second_began = seconds_since_1970();
    const std::unique_ptr<ChildInTurns> other = start(second);
    while (!interrupt_.requested() && !(one->ended() && other->ended()) && !failed(*one) &&
           !failed(*other)) {
      one->go_on(kSlice, stop());
      other->go_on(kSlice, stop());
    }
    if (interrupt_.requested()) return false;
    if (failed(*other)) finish(second, other->outcome(), number, second_began);
    finish(first, one->outcome(), number, first_began);
    finish(second, other->outcome(), number, second_began);
    return true;
  }

  static bool failed(const ChildInTurns& run) {
    return run.ended() && run.outcome().exit_code != 0;
  }

  std::unique_ptr<ChildInTurns> start(const RepeatedCommand& command) const {
    return std::make_unique<ChildInTurns>(
        command.program.empty() ? "/proc/self/exe" : command.program, command.words,
        command.file.string() + ".errors", stop());
  }

  void finish(RepeatedCommand& command, const ChildOutcome& outcome, std::uint32_t number,
              double began) {
    progress_.clear();
    const std::string whose =
        fmt::format("run {} of {}{}", number, repeats_, &command == &other_ ? whose_run() : "");
    if (outcome.exit_code != 0)
      fail(static_cast<ExitCode>(outcome.exit_code), "{}: {}", whose,
           outcome.error.empty()
               ? fmt::format("it ended with code {} and no message", outcome.exit_code)
               : outcome.error);
    try {
      command.add(began);
    } catch (const nlohmann::json::exception& error) {
      fail(ExitCode::kFailed, "{}: it wrote no record of a run: {}", whose, json_problem(error));
    }
  }

  // Returns words that identify the other command in an error of one of its runs.
  std::string whose_run() const {
    const std::string& program = command_.against_program;
    if (program.empty()) return ", --against";
    return fmt::format(", --against_program={} (is it a convoy?)", program);
  }

  void print_run(std::uint32_t number) {
    if (own_.rates.size() < number) return;
    out_ << fmt::format("run {}: {:.2f} images/sec", number, own_.rates.back());
    if (other_.rates.size() >= number) out_ << fmt::format(", against {:.2f}", other_.rates.back());
    out_ << std::endl;
  }

  void print_total() {
    if (own_.rates.empty()) return;
    const auto [least, most] = std::ranges::minmax_element(own_.rates);
    out_ << fmt::format(
        "----------------------------------------------------------------\n"
        "total images/sec: {:.2f}\n"
        "----------------------------------------------------------------\n"
        "median of {} runs, which go from {:.2f} to {:.2f}\n",
        median(own_.rates), own_.rates.size(), *least, *most);
  }

  void write_files() {
    const JobOptions& options = command_.options;
    const Json own = record_of_all(own_);
    if (!options.output_file.empty())
      write_output_file(options.output_file, json_text(own, 2) + "\n");
    if (!options.report_file.empty())
      report::write_report({{"this run", own}}, options.report_file);
    if (!other_.runs.empty()) tell_difference(own, record_of_all(other_));
  }

  Json record_of_all(RepeatedCommand& command) const {
    Json record = command.median_record();
    record["command_line"] = command.command_line;
    for (auto& [name, value] : record["flags"].items())
      if (is_of_all_runs(name)) value = command_.options.settings.at(name);
    record["repeats"] = command.repeats;
    if (!interrupt_.requested()) return record;
    record["interrupted"] = true;
    record["exit_status"] = static_cast<int>(interrupt_.code());
    return record;
  }

  void tell_difference(const Json& own, const Json& other) {
    const std::string& file = command_.options.output_file;
    if (!file.empty()) write_output_file(file_of_others(file), json_text(other, 2) + "\n");
    if (other_.repeats.size() < 2) return;  // no pair was completed, so there is nothing to compare
    const compare::ComparedRecord a = compare::compared(name_of_others(), {{"--against", other}});
    const compare::ComparedRecord b = compare::compared("this run", {{"this run", own}});
    out_ << "\n" << compare::difference_text({a, b, compare::compare(a.side, b.side)});
  }

  std::string name_of_others() const {
    if (command_.against.empty()) return command_.against_program;
    return command_.against_program.empty() ? command_.against
                                            : command_.against_program + " " + command_.against;
  }

  const JobCommand& command_;
  std::uint32_t repeats_;
  InterruptGuard interrupt_;
  TemporaryFolder folder_{"convoy-repeat"};
  RepeatedCommand own_;
  RepeatedCommand other_;  // the command to compare with
  std::ostream& out_;
  std::ostream& err_;
  report::Progress progress_;
};

}  // namespace

int run_repeats(const JobCommand& command, std::span<const std::string> arguments,
                std::ostream& out, std::ostream& err) {
  check_repeatable(command);
  tell_what_is_not_printed(command.options, err);
  return Repeater(command, arguments, out, err).run();
}

}  // namespace convoy::cli
