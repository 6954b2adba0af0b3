#include "core/job/auto/auto_links.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "core/base/error.hpp"
#include "core/base/files/byte_hash.hpp"
#include "core/base/text/json.hpp"
#include "core/job/auto/auto_choice.hpp"
#include "core/job/hardware/linked_hardware.hpp"
#include "core/job/hardware/run_hardware.hpp"
#include "core/job/simulation/plan_memory.hpp"
#include "core/job/tasks/task.hpp"
#include "core/job/tasks/task_messages.hpp"
#include "core/select/selection_json.hpp"

namespace convoy::job {
namespace {

using Json = nlohmann::ordered_json;
using Tell = std::function<void(const std::string&)>;

// Returns nothing, with a notice, if the hosts' speed is unknown.
std::optional<SimulatedHardware> known_hardware(Setup& setup, const Tell& tell) {
  const Task& task = *setup.task;
  if (is_large_cluster(task.workers(), task.devices_per_worker())) {
    tell(fmt::format("no simulation of this run: comparing strategies for {} hosts takes too long",
                     task.workers()));
    return std::nullopt;
  }
  return if_known(setup, linked_hardware, tell);
}

select::Decision choose_here(Setup& setup, const Sizes& sizes, const Tell& tell) {
  const std::optional<SimulatedHardware> hardware = known_hardware(setup, tell);
  if (!hardware) return *setup.decision;
  const Task& task = *setup.task;
  const ChoiceSubject subject{task.workers(), task.devices_per_worker(), sizes.batch};
  const SimulatedTarget target = linked_target(setup, *hardware);
  return choose_by_simulation(setup, *hardware, subject,
                              rank_strategies(setup, *hardware, subject, target));
}

std::string file_of_strategy(const Setup& setup, const select::Decision& decision) {
  return file_hash(
      setup.catalog.find(plugin::PluginKind::kStrategy, decision.chosen.strategy).path);
}

}  // namespace

void choose_on_links(Setup& setup, const Sizes& sizes, const plugin::PluginLog& log,
                     const Tell& tell) {
  CONVOY_CHECK(setup.task != nullptr && setup.decision);
  std::string own;
  if (setup.task->is_chief()) {
    const select::Decision decision = choose_here(setup, sizes, tell);
    own = json_text(
        Json{{"decision", select::to_json(decision)}, {"file", file_of_strategy(setup, decision)}});
  }
  std::string file;
  const std::string text = setup.task->from_chief("strategy", own);
  read_message("strategy", [&] {
    const Json chiefs = parse_ordered_json(text);
    setup.decision = select::decision_from_json(chiefs.at("decision"));
    file = chiefs.at("file").get<std::string>();
  });
  const select::Candidate& chosen = setup.decision->chosen;
  if (file_of_strategy(setup, *setup.decision) != file)
    fail(ExitCode::kUnavailable,
         "{} takes the strategy {}, and its plug-in here is another file: install the same one on "
         "all hosts",
         setup.task->name_of(0), chosen.strategy);
  if (chosen.bucket_elements > 0) setup.bucket_elements = chosen.bucket_elements;
  setup.strategy = load_strategy_of(setup, chosen, log);
  tell(select::decision_line(*setup.decision));
}

}  // namespace convoy::job
