#include "core/runtime/asynchronous/worker_reports.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <sstream>
#include <string_view>

#include "core/base/error.hpp"
#include "core/base/text/number.hpp"

namespace convoy::runtime {
namespace {

// No run takes this many steps, and the sum over all workers fits into 64 bits.
constexpr std::uint64_t kMostSteps = std::uint64_t{1} << 48;
constexpr std::uint64_t kMostUpdates = std::uint64_t{1} << 62;

// The words of one line.
class Report {
 public:
  Report(std::string_view line, std::uint32_t workers)
      : line_(line), rest_(line), kind_(word()), workers_(workers) {}

  std::string_view kind() const { return kind_; }
  std::uint32_t worker() { return static_cast<std::uint32_t>(count(workers_ - 1)); }

  std::uint64_t count(std::uint64_t most) {
    const auto value = number<std::uint64_t>();
    if (value > most) refuse();
    return value;
  }

  double measure() {
    const auto value = number<double>();
    if (!(value >= 0 && value <= std::numeric_limits<double>::max())) refuse();
    return value;
  }

  void end() const {
    if (!rest_.empty()) refuse();
  }

  [[noreturn]] void refuse() const {
    constexpr std::size_t kShown = 100;
    fail(ExitCode::kFailed,
         "another task reported '{}', which is no report; start all tasks with the same version of "
         "convoy",
         line_.substr(0, kShown));
  }

 private:
  std::string_view word() {
    const std::string_view found = rest_.substr(0, rest_.find(' '));
    rest_.remove_prefix(std::min(found.size() + 1, rest_.size()));
    return found;
  }

  template <typename Number>
  Number number() {
    const std::optional<Number> value = parse_number<Number>(word());
    if (!value) refuse();
    return *value;
  }

  const std::string_view line_;
  std::string_view rest_;
  const std::string_view kind_;
  const std::uint32_t workers_;
};

// Calls visit(report) for every line of all texts; it reads the whole line.
template <typename Visit>
void for_each_report(std::span<const std::string> texts, std::uint32_t workers, Visit visit) {
  for (const std::string& text : texts) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      Report report(line, workers);
      visit(report);
      report.end();
    }
  }
}

}  // namespace

std::string to_text(const LastSteps& own) {
  std::string text;
  if (own.stopped) text += "stopped\n";
  if (own.over) text += "over\n";
  for (const auto& [strand, steps] : own.by_strand)
    text += fmt::format("last {} {}\n", strand, steps);
  return text;
}

LastSteps last_steps_of_all(std::span<const std::string> texts, std::uint32_t workers) {
  LastSteps all;
  for_each_report(texts, workers, [&](Report& report) {
    if (report.kind() == "stopped") {
      all.stopped = true;
    } else if (report.kind() == "over") {
      all.over = true;
    } else if (report.kind() == "last") {
      std::int64_t& steps = all.by_strand[report.worker()];
      steps = static_cast<std::int64_t>(report.count(kMostSteps));
    } else {
      report.refuse();
    }
  });
  for (std::uint32_t worker = 0; worker < workers; ++worker)
    if (!all.by_strand.contains(worker))
      fail(
          ExitCode::kFailed,
          "no task reports where worker {} pauses; start all tasks with the same version of convoy",
          worker);
  return all;
}

std::string to_text(std::span<const WorkerRecord> own) {
  std::string text;
  for (const WorkerRecord& it : own) {
    if (it.seconds > 0)
      text +=
          fmt::format("speed {} {} {} {}\n", it.worker, it.steps, it.seconds, it.images_per_second);
    for (const auto& [updates, times] : it.staleness)
      text += fmt::format("stale {} {} {}\n", it.worker, updates, times);
  }
  return text;
}

std::vector<WorkerRecord> workers_of_all(std::span<const std::string> texts,
                                         std::uint32_t workers) {
  std::map<std::uint32_t, WorkerRecord> known;
  for_each_report(texts, workers, [&](Report& report) {
    const std::uint32_t number = report.worker();
    WorkerRecord& worker = known[number];
    worker.worker = number;
    if (report.kind() == "speed") {
      worker.steps = static_cast<std::int64_t>(report.count(kMostSteps));
      worker.seconds = report.measure();
      worker.images_per_second = report.measure();
    } else if (report.kind() == "stale") {
      std::uint64_t& times = worker.staleness[report.count(kMostSteps)];
      times += report.count(kMostUpdates - times);
    } else {
      report.refuse();
    }
  });
  std::vector<WorkerRecord> result;
  result.reserve(known.size());
  for (auto& [number, worker] : known) result.push_back(std::move(worker));
  return result;
}

}  // namespace convoy::runtime
