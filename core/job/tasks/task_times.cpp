#include "core/job/tasks/task_times.hpp"

#include <nlohmann/json.hpp>

#include "core/base/json.hpp"
#include "core/job/tasks/task_messages.hpp"
#include "core/report/profile_record.hpp"

namespace convoy::job {

std::vector<report::TaskRecord> tasks_of_run(Task& task, const runtime::StepBreakdown& own) {
  std::vector<std::string> names;
  for (std::uint32_t rank = 0; rank < task.tasks(); ++rank) names.push_back(task.name_of(rank));
  const std::vector<std::string> texts = task.finish(json_text(report::to_json(own)));
  std::vector<report::TaskRecord> records;
  for (std::size_t rank = 0; rank < texts.size() && rank < names.size(); ++rank) {
    report::TaskRecord record{names[rank], {}, {}};
    read_message("step", [&] {
      record.step_breakdown = report::read_breakdown(parse_ordered_json(texts[rank]));
      for (const auto& [host, seconds] : record.step_breakdown.network_by_host)
        record.waited_for[names.at(host)] = seconds;
    });
    records.push_back(std::move(record));
  }
  return records;
}

}  // namespace convoy::job
