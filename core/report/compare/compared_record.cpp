#include "core/report/compare/compared_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <iomanip>
#include <set>
#include <sstream>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/numbers/statistics.hpp"
#include "core/base/text/counted.hpp"
#include "core/base/text/json.hpp"
#include "core/base/text/split.hpp"
#include "core/report/html/record_fields.hpp"
#include "core/report/html/write_report.hpp"
#include "core/select/candidate.hpp"

namespace convoy::compare {
namespace {

using Json = nlohmann::ordered_json;
using report::field;
using report::number;

// Values outside these limits come from damaged records and would make quotients that are not
// numbers.
constexpr double kLeastSeconds = 1e-9;  // seconds of a step
constexpr double kMostSeconds = 1e9;
constexpr double kMostImages = 1e12;  // images of a step, or per second

bool is_step(double seconds) {
  return seconds >= kLeastSeconds && seconds <= kMostSeconds;
}

std::vector<std::string> names_of(const std::string& files) {
  std::error_code ignored;  // set if the name is too long for one file
  if (std::filesystem::exists(files, ignored)) return {files};
  std::vector<std::string> names = split(files, ',');
  if (std::ranges::any_of(names, &std::string::empty))
    fail(ExitCode::kUsage, "'{}': an empty name; separate names by single commas", files);
  return names;
}

// Refuses a file that is given twice, because a run that counted twice would make the interval too
// narrow.
void require_different(const std::vector<std::string>& files) {
  std::set<std::filesystem::path> seen;
  std::error_code ignored;  // opening the file will report more
  for (const std::string& file : files)
    if (!seen.insert(std::filesystem::weakly_canonical(file, ignored)).second)
      fail(ExitCode::kUsage, "{}: this record is given twice for one side; give each only once",
           file);
}

struct Run {
  std::vector<double> seconds;  // seconds of each of its steps
  std::optional<double> rate;   // total images/s
  std::optional<double> began;
  std::vector<std::size_t> turns;  // number of steps done at the end of each turn
};

// In an asynchronous run, each worker takes its own steps, and the record has the steps of one
// worker. The total rate tells how many images all workers computed in the time of such a step.
std::optional<double> images_by_total(const Run& run) {
  if (!run.rate) return std::nullopt;
  return *run.rate * median(run.seconds);
}

void add_run(Run run, double global_batch, bool asynchronous, ComparedRecord& to) {
  const bool damaged = std::erase_if(run.seconds, [](double it) { return !is_step(it); }) > 0;
  if (run.seconds.empty()) return;
  if (run.rate && !(*run.rate >= 1 / kMostSeconds && *run.rate <= kMostImages)) run.rate.reset();
  if (run.rate) to.rates.push_back(*run.rate);
  to.steps.insert(to.steps.end(), run.seconds.begin(), run.seconds.end());
  const auto by_total = asynchronous ? images_by_total(run) : std::nullopt;
  to.side.median_is_total |= by_total.has_value();
  const double images = by_total.value_or(global_batch);
  const bool shows_turns =
      !damaged && !asynchronous && !run.turns.empty() && run.turns.back() <= run.seconds.size();
  if (!shows_turns) run.turns.clear();
  for (double& value : run.seconds) value /= images;
  to.side.runs.push_back(std::move(run.seconds));
  to.side.began.push_back(run.began);
  to.side.turns.push_back(std::move(run.turns));
}

// Returns the start time in the record's environment, in seconds since 1970.
std::optional<double> began_of(const Json& record) {
  std::tm fields{};
  std::istringstream text(report::text(record, "environment/start_time"));
  text >> std::get_time(&fields, "%Y-%m-%dT%H:%M:%S");
  if (text.fail()) return std::nullopt;
  return static_cast<double>(::timegm(&fields));
}

std::vector<double> step_seconds(const Json& steps) {
  std::vector<double> seconds;
  for (const Json& step : steps)
    if (const auto value = number(step, "seconds")) seconds.push_back(*value);
  return seconds;
}

// Returns how many steps a run had done each time it stood still; empty if the numbers cannot be
// true.
std::vector<std::size_t> turns_of(const Json& record) {
  std::vector<std::size_t> ends;
  const Json& standstills = field(record, "standstills");
  if (!standstills.is_array()) return {};
  for (const Json& step : standstills) {
    const auto end = json_count(step);
    if (!end || *end < (ends.empty() ? 1 : ends.back())) return {};
    ends.push_back(*end);
  }
  return ends;
}

void add_record(const Json& record, const std::string& file, ComparedRecord& to) {
  const double images = number(record, "global_batch").value_or(0);
  const Json& workers = field(record, "workers");
  const bool asynchronous = workers.is_array() && !workers.empty();
  const Json& repeats = field(record, "repeats");
  if (repeats.is_array() && !repeats.empty())
    for (const Json& repeat : repeats)
      add_run({repeat.at("seconds").get<std::vector<double>>(), number(repeat, "images_per_sec"),
               number(repeat, "began"), turns_of(repeat)},
              images, asynchronous, to);
  else
    add_run({step_seconds(field(record, "steps")), number(record, "total/images_per_sec"),
             began_of(record), turns_of(record)},
            images, asynchronous, to);
  if (!(images >= 1 && images <= kMostImages) || to.side.runs.empty())
    fail(ExitCode::kUsage,
         "{}: no record of a run with timed steps; convoy run --output_file=x.json writes one",
         file);
}

// Returns a notice if the run did not get to its end.
std::optional<std::string> early_end(const Json& record, const std::string& file,
                                     std::size_t steps) {
  const bool interrupted = report::is_true(record, "interrupted");
  const std::string error = report::text(record, "error");
  if (!interrupted && error.empty()) return std::nullopt;
  const std::string end = interrupted ? "was interrupted" : "failed (" + error + ")";
  return fmt::format("{}: the run {}; what is compared is its {}", file, end,
                     counted(steps, "timed step"));
}

// Returns the parts of a record that are needed besides its runs. Copying all its steps would take
// as long as reading them.
Json facts_of(const Json& record) {
  Json facts = Json::object();
  for (const auto& [name, value] : record.items())
    if (name != "steps" && name != "repeats" && name != "timeline") facts[name] = value;
  return facts;
}

std::string shown(const Json& value) {
  return value.is_string() ? value.get<std::string>()
         : value.is_null() ? "unknown"
                           : json_text(value);
}

// Returns the devices' kinds and models, without numbers and localities.
Json device_models(const Json& record) {
  Json models = Json::array();
  for (const Json& device : field(record, "devices"))
    models.push_back(
        fmt::format("{} {}", report::text(device, "kind"), report::text(device, "model")));
  std::set<std::string> different;
  for (const Json& model : models) different.insert(model.get<std::string>());
  return different;
}

}  // namespace

ComparedRecord read_compared(const std::string& files) {
  std::vector<report::NamedRecord> records;
  const std::vector<std::string> names = names_of(files);
  require_different(names);
  records.reserve(names.size());
  for (const std::string& file : names) records.push_back({file, report::read_record(file).record});
  return compared(files, records);
}

ComparedRecord compared(const std::string& name, const std::vector<report::NamedRecord>& records) {
  ComparedRecord result;
  result.side.name = name;
  for (const report::NamedRecord& named : records) {
    const auto& [file, record] = named;
    report::require_known_version(named);
    try {
      const std::size_t before = result.steps.size();
      add_record(record, file, result);
      if (auto notice = early_end(record, file, result.steps.size() - before))
        result.notices.push_back(*std::move(notice));
    } catch (const nlohmann::json::exception& error) {
      fail(ExitCode::kUsage, "{}: a damaged record of a run: {}", file, json_problem(error));
    }
    if (result.first.is_null()) result.first = facts_of(record);
  }
  return result;
}

std::vector<std::string> unlike(const ComparedRecord& a, const ComparedRecord& b) {
  std::vector<std::string> reasons;
  const auto same = [&](const char* what, const Json& first, const Json& second) {
    if (first != second)
      reasons.push_back(fmt::format("{}: {} and {}", what, shown(first), shown(second)));
  };
  for (const auto& [what, path] : {std::pair{"processor", "environment/cpu"},
                                   {"usable processors", "environment/processors"},
                                   {"model", "model"},
                                   {"dataset", "dataset"},
                                   {"synthetic data", "synthetic_data"},
                                   {"mode", "mode"}})
    same(what, field(a.first, path), field(b.first, path));
  same("devices", device_models(a.first), device_models(b.first));
  return reasons;
}

namespace {

// Returns whether the flag is an option that the chosen strategy does not have. With
// --variable_update=auto, a record has the options of every strategy, and those of others say
// nothing about the run.
bool is_of_another_strategy(const Json& record, const std::string& flag) {
  return report::text(field(record, "flags"), "variable_update") == select::kAutoStrategy &&
         !field(record, "strategy/options").contains(flag);
}

bool is_given(const Json& record, const std::string& flag) {
  return std::ranges::any_of(field(record, "command_line"), [&](const Json& word) {
    const std::string text = word.is_string() ? word.get<std::string>() : std::string();
    const std::size_t name = text.find_first_not_of('-');
    return text.starts_with('-') && name != std::string::npos &&
           text.substr(name, text.find('=') - name) == flag;
  });
}

// Returns whether only the first record has the flag, as an option of a strategy that it did not
// choose.
bool says_nothing(const Json& record, const Json& other, const std::string& flag) {
  return !field(other, "flags").contains(flag) && is_of_another_strategy(record, flag) &&
         !is_given(record, flag);
}

}  // namespace

std::vector<FlagDifference> flag_differences(const ComparedRecord& a, const ComparedRecord& b) {
  static const std::set<std::string> kFiles = {"output_file", "trace_file",      "report",
                                               "train_dir",   "record_timeline", "repeat",
                                               "against",     "against_program"};
  const Json& first = field(a.first, "flags");
  const Json& second = field(b.first, "flags");
  std::set<std::string> names;
  for (const Json* flags : {&first, &second})
    for (const auto& [name, value] : flags->items()) names.insert(name);
  std::vector<FlagDifference> differences;
  for (const std::string& name : names) {
    if (kFiles.contains(name)) continue;
    if (says_nothing(a.first, b.first, name) || says_nothing(b.first, a.first, name)) continue;
    const std::string one = report::text(first, name);
    const std::string other = report::text(second, name);
    if (one != other) differences.push_back({name, one, other});
  }
  return differences;
}

}  // namespace convoy::compare
