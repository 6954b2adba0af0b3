#include "tests/fuzz/text_seeds.hpp"

#include <initializer_list>

#include "core/base/files/input_file.hpp"
#include "core/base/text/json.hpp"
#include "core/calibrate/profile_file.hpp"
#include "core/job/tasks/task_messages.hpp"
#include "core/runtime/asynchronous/worker_reports.hpp"
#include "core/select/decision_cache.hpp"
#include "core/select/selection_json.hpp"
#include "tests/calibrate/profiles.hpp"

namespace convoy {

std::string calibration_text() {
  calibrate::MachineProfile profile = calibrate::small_profile();
  for (calibrate::TeamLayers& layers : profile.layers) layers.samples.resize(2);
  return calibrate::profile_text(profile);
}

std::string choice_text() {
  select::Decision decision;
  decision.origin = select::DecisionOrigin::kMeasured;
  decision.chosen = {"replicated", {{"all_reduce_spec", "xring"}}, 1 << 20};
  decision.step_seconds = 0.0123;
  decision.bottleneck = "updates";
  decision.basis = "2 devices";
  decision.runner_up = {{"parameter_server", {}, 1 << 18}, 0.0125};
  decision.trial = select::TrialResult{};
  return json_text(nlohmann::ordered_json{
      {"schema_version", 2}, {"circumstances", "here"}, {"decision", select::to_json(decision)}});
}

std::string catalogue_text(const std::string& file) {
  const std::string path = std::string(CONVOY_SOURCE_DIR) + "/share/catalogue/" + file;
  nlohmann::ordered_json document = parse_ordered_json(read_input_file(path).bytes);
  for (const char* const list : {"devices", "hosts", "generations"})
    if (document.contains(list)) document[list] = {document[list].back()};
  return json_text(document);
}

std::string system_texts(int version) {
  constexpr const char* kMemory =
      "MemTotal: 8388608 kB\nMemAvailable: 4194304 kB\nSwapFree: 1024 kB\n";
  constexpr const char* kCache = "c_min 4 1048576\nsize 4 2097152\n";
  constexpr const char* kStatistics = "inactive_file 4096\ntotal_active_file 8192\n";
  std::string texts;
  for (const char* const text :
       {kMemory, version == 2 ? "0::/\n" : "2:memory:/\n3:cpu,cpuacct:/\n", kCache, "2147483648",
        "1073741824", kStatistics, "1048576", "150000 100000", "2147483648", "1073741824",
        "3221225472", "150000", "100000"})
    texts += std::string(text) + '\0';
  if (texts.size() % 2 != static_cast<std::size_t>(version - 1)) texts += '\0';
  return texts;
}

std::vector<std::string> texts_of_tasks() {
  job::TaskDevices devices;
  devices.kind = "cpu";
  devices.groups.numa = {0, 1};
  job::WorkersDevices names;
  names.names = {"cpu:0", "cpu:1"};
  names.localities = {"0000:01:00.0", ""};
  job::TaskTrace trace;
  trace.events = {{"apply", 3, "update", "cpu:0", 0.5, 0.25}};
  std::vector<std::string> texts = {
      job::to_text(job::ChiefsSizes{2, 16, 1, 10}),
      job::to_text(devices),
      job::to_text(names),
      job::to_text(std::vector<job::MeasuredLink>{{}, {1e-5, 1e9, 2e9, 1e-10}}),
      job::to_text(std::vector<unsigned>{0, 2}),
      job::to_text(trace),
      runtime::to_text(runtime::LastSteps{{{0, 12}, {1, 40}}, true, true}),
      runtime::to_text(
          std::vector<WorkerRecord>{{0, 20, 2.5, 64.125, {}}, {1, 0, 0, 0, {{0, 5}, {2, 7}}}})};
  for (std::size_t i = 0; i < texts.size(); ++i) texts[i].insert(0, 1, static_cast<char>(i));
  return texts;
}

}  // namespace convoy
