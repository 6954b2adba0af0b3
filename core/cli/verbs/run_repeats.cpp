#include "core/cli/verbs/run_repeats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <ostream>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/json.hpp"
#include "core/base/output_file.hpp"
#include "core/base/statistics.hpp"
#include "core/cli/interrupt.hpp"
#include "core/cli/verbs/child_program.hpp"
#include "core/cli/verbs/temporary_folder.hpp"
#include "core/report/html/write_report.hpp"
#include "core/report/progress.hpp"

namespace convoy {
namespace {

using Json = nlohmann::ordered_json;

// The command line of one run: files are written once, for all of them.
std::vector<std::string> arguments_of_one(std::span<const std::string> arguments) {
  std::vector<std::string> words = {"run"};
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    const std::string name = word.substr(std::min(word.find_first_not_of('-'), word.size()),
                                         word.find('=') - word.find_first_not_of('-'));
    const bool own =
        word.starts_with("-") && (name == "repeat" || name == "output_file" || name == "report");
    if (!own) words.push_back(word);
    if (own && word.find('=') == std::string::npos) ++i;
  }
  return words;
}

void check_repeatable(const JobCommand& command) {
  const JobOptions& options = command.options;
  const auto refuse = [&](const char* flag, const char* why) {
    fail(ExitCode::kUsage, "--repeat={} and --{}: {}; leave out one of them", command.repeats, flag,
         why);
  };
  if (!options.checkpoints.train_dir.empty())
    refuse("train_dir", "each run would go on where the one before stopped");
  if (!options.task.job_name.empty())
    refuse("job_name", "the tasks of a run on several hosts begin together, once");
  if (!options.trace_file.empty()) refuse("trace_file", "a trace is of one run");
  if (!options.output_file.empty()) {
    if (!options.output_file.ends_with(".json"))
      refuse("output_file", "repeats are written as .json");
    check_output_file(options.output_file);
  }
  if (!options.report_file.empty()) report::check_report_path(options.report_file);
}

Json repeat_of(const Json& record) {
  Json seconds = Json::array();
  for (const Json& step : record.at("steps")) seconds.push_back(step.at("seconds"));
  return {{"images_per_sec", record.at("total").at("images_per_sec")},
          {"seconds", std::move(seconds)}};
}

class Repeater {
 public:
  Repeater(const JobCommand& command, std::span<const std::string> arguments, std::ostream& out,
           std::ostream& err)
      : command_(command),
        words_(arguments_of_one(arguments)),
        out_(out),
        progress_(err, standard_error_is_terminal()) {
    words_.push_back("--output_file=" + file().string());
    if (!command.options.report_file.empty()) words_.emplace_back("--record_timeline");
  }

  int run() {
    for (std::uint32_t number = 1; number <= command_.repeats; ++number) {
      progress_.show(fmt::format("run {} of {}", number, command_.repeats));
      const ChildOutcome outcome =
          run_child_program(words_, [this] { return interrupt_.requested(); });
      progress_.clear();
      if (interrupt_.requested()) return static_cast<int>(interrupt_.code());
      if (outcome.exit_code != 0)
        fail(static_cast<ExitCode>(outcome.exit_code), "run {} of {}: {}", number, command_.repeats,
             outcome.error);
      add(number);
    }
    print_total();
    write_files();
    return static_cast<int>(ExitCode::kOk);
  }

 private:
  std::filesystem::path file() const { return folder_.path() / "run.json"; }

  void add(std::uint32_t number) {
    std::ifstream in(file());
    Json record = parse_ordered_json(in);
    Json repeat = repeat_of(record);
    if (repeat["images_per_sec"].is_number()) {
      rates_.push_back(repeat["images_per_sec"].get<double>());
      out_ << fmt::format("run {}: {:.2f} images/sec\n", number, rates_.back()) << std::flush;
    }
    repeats_.push_back(std::move(repeat));
    if (record_.is_null()) record_ = std::move(record);
  }

  void print_total() const {
    if (rates_.empty()) return;
    const auto [least, most] = std::ranges::minmax_element(rates_);
    out_ << fmt::format(
        "----------------------------------------------------------------\n"
        "total images/sec: {:.2f}\n"
        "----------------------------------------------------------------\n"
        "median of {} runs, which go from {:.2f} to {:.2f}\n",
        median(rates_), rates_.size(), *least, *most);
  }

  void write_files() {
    record_["repeats"] = repeats_;
    const JobOptions& options = command_.options;
    if (!options.output_file.empty())
      write_output_file(options.output_file, json_text(record_, 2) + "\n");
    if (!options.report_file.empty())
      report::write_report({{"this run", record_}}, options.report_file);
  }

  const JobCommand& command_;
  TemporaryFolder folder_{"convoy-repeat"};
  std::vector<std::string> words_;
  std::ostream& out_;
  Progress progress_;
  InterruptGuard interrupt_;
  std::vector<double> rates_;
  Json repeats_ = Json::array();
  Json record_;
};

}  // namespace

int run_repeats(const JobCommand& command, std::span<const std::string> arguments,
                std::ostream& out, std::ostream& err) {
  check_repeatable(command);
  return Repeater(command, arguments, out, err).run();
}

}  // namespace convoy
