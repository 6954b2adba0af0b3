// Peak resident memory of whole runs, each in a process of its own, against what the run planned:
// parameters, gradients, optimizer state, the activations that backward needs, the plan's buffers.
// A case fails when the peak is above 1.15 times that plus 150 MB.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/text/json.hpp"

namespace {

using nlohmann::json;

struct Case {
  const char* model;
  int batch;
  int devices;
  const char* strategy;
};

double allowed_bytes(double planned) {
  constexpr double kFixed = 150e6;  // the program itself, its libraries and start-up
  return 1.15 * planned + kFixed;
}

// The run's record; null when it failed.
json run(const Case& it) {
  const std::filesystem::path path = std::filesystem::temp_directory_path() /
                                     ("convoy_memory_" + std::to_string(getpid()) + ".json");
  const std::string command =
      std::string(CONVOY_BINARY_DIR "/bin/convoy run --device=cpu --num_warmup_batches=1") +
      " --num_batches=1 --model=" + it.model + " --batch_size=" + std::to_string(it.batch) +
      " --num_devices=" + std::to_string(it.devices) + " --variable_update=" + it.strategy +
      " --output_file=" + path.string() + " >/dev/null";
  json record;
  if (std::system(command.c_str()) == 0) record = convoy::parse_json(std::ifstream(path));
  std::filesystem::remove(path);
  return record;
}

double sum_over_places(const json& memory, const char* kind) {
  double sum = 0;
  for (const json& place : memory.at("places")) sum += place.at(kind).get<double>();
  return sum;
}

void peak_memory(benchmark::State& state, const Case& it) {
  for (auto _ : state) {
    const json record = run(it);
    if (record.is_null()) {
      state.SkipWithError("the run failed");
      return;
    }
    const json& memory = record.at("memory");
    const double planned = memory.at("planned_bytes");
    const double peak = memory.at("peak_resident_bytes");
    state.SetIterationTime(record.at("total").at("seconds"));
    state.counters["planned_MB"] = planned / 1e6;
    state.counters["activations_MB"] = sum_over_places(memory, "activations_bytes") / 1e6;
    state.counters["peak_MB"] = peak / 1e6;
    state.counters["peak/planned"] = peak / planned;
    state.counters["peak/allowed"] = peak / allowed_bytes(planned);
    if (peak > allowed_bytes(planned)) state.SkipWithError("the peak is above what is allowed");
  }
}

void add(const Case& it) {
  const std::string name = std::string("peak_memory/") + it.model + "/" + it.strategy +
                           "/devices:" + std::to_string(it.devices) +
                           "/batch:" + std::to_string(it.batch);
  benchmark::RegisterBenchmark(name.c_str(), peak_memory, it)
      ->UseManualTime()
      ->Iterations(1)
      ->Unit(benchmark::kMillisecond);
}

}  // namespace

int main(int count, char** arguments) {
  constexpr Case kCases[] = {{"lenet", 8, 1, "replicated"},
                             {"resnet50", 16, 1, "replicated"},
                             {"resnet152", 8, 1, "replicated"},
                             {"inception3", 8, 1, "replicated"},
                             {"vgg16", 8, 1, "replicated"},
                             {"alexnet", 64, 1, "replicated"},
                             {"alexnet", 16, 2, "independent"},
                             {"alexnet", 16, 2, "replicated"},
                             {"alexnet", 16, 2, "parameter_server"},
                             {"alexnet", 16, 2, "parameter_server --local_parameter_device=cpu"},
                             {"resnet50", 8, 2, "replicated"},
                             {"vgg16", 4, 2, "parameter_server"}};
  for (const Case& it : kCases) add(it);
  benchmark::Initialize(&count, arguments);
  if (benchmark::ReportUnrecognizedArguments(count, arguments)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
