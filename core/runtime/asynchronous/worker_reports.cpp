#include "core/runtime/asynchronous/worker_reports.hpp"

#include <fmt/format.h>

#include <sstream>

#include "core/base/error.hpp"

namespace convoy::runtime {
namespace {

// Calls visit(word, rest of the line) for every line of all texts.
template <typename Visit>
void for_each_line(std::span<const std::string> texts, Visit visit) {
  for (const std::string& text : texts) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      std::string first;
      words >> first;
      visit(first, words);
      if (words.fail())
        fail(ExitCode::kFailed,
             "another task reported '{}', which is no report; start all tasks with the same "
             "version of convoy",
             line);
    }
  }
}

}  // namespace

std::string to_text(const LastSteps& own) {
  std::string text;
  if (own.stopped) text += "stopped 1\n";
  if (own.over) text += "over 1\n";
  for (const auto& [strand, steps] : own.by_strand)
    text += fmt::format("last {} {}\n", strand, steps);
  return text;
}

LastSteps last_steps_of_all(std::span<const std::string> texts) {
  LastSteps all;
  for_each_line(texts, [&](const std::string& what, std::istringstream& words) {
    std::uint32_t strand = 0;
    words >> strand;
    if (what == "stopped")
      all.stopped = true;
    else if (what == "over")
      all.over = true;
    else
      words >> all.by_strand[strand];
  });
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

std::vector<WorkerRecord> workers_of_all(std::span<const std::string> texts) {
  std::map<std::uint32_t, WorkerRecord> workers;
  for_each_line(texts, [&](const std::string& what, std::istringstream& words) {
    std::uint32_t strand = 0;
    words >> strand;
    WorkerRecord& worker = workers[strand];
    worker.worker = strand;
    if (what == "speed") {
      words >> worker.steps >> worker.seconds >> worker.images_per_second;
    } else {
      std::uint64_t updates = 0;
      std::uint64_t times = 0;
      words >> updates >> times;
      worker.staleness[updates] += times;
    }
  });
  std::vector<WorkerRecord> result;
  result.reserve(workers.size());
  for (auto& [strand, worker] : workers) result.push_back(std::move(worker));
  return result;
}

}  // namespace convoy::runtime
