// Whole training steps of one CPU device with all cores, as `convoy run` takes them, against what
// they need at least: the step's own convolution and fully connected primitives, from its profile,
// and the unavoidable bytes at the stream rate. A case fails when the profile does not have every
// pass of every primitive of the model.
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
  int steps;
  int primitives;  // convolutions and fully connected layers, from the model's own publication
  bool bf16 = false;
};

constexpr double kAllowed = 1.10;  // a step may take that much of what it needs at least

// Of the passes that the model has: forward and weights of every primitive, data of all but those
// that read the images.
int recorded_passes(const json& profile) {
  int passes = 0;
  for (const json& layer : profile.at("layers")) {
    const std::string kind = layer.at("kind");
    if (kind != "convolution" && kind != "fully_connected") continue;
    for (const json& pass : layer.at("passes"))
      if (pass.at("seconds").get<double>() > 0) ++passes;
  }
  return passes;
}

// Why these are not the primitives of this step; empty when they are.
std::string defect(const json& record, const Case& it) {
  const json& profile = record.at("profile");
  const int expected = 3 * it.primitives - 1;  // one layer reads the images
  const int recorded = recorded_passes(profile);
  if (recorded != expected || profile.at("expected_passes") != expected)
    return "the profile has " + std::to_string(recorded) + " passes of primitives, the model " +
           std::to_string(expected);
  const double compute = record.at("step_breakdown").at("compute").get<double>();
  if (profile.at("primitives_seconds").get<double>() > compute)
    return "the primitives took longer than the step's computation";
  return "";
}

json run(const Case& it, std::string& error) {
  const std::filesystem::path path = std::filesystem::temp_directory_path() /
                                     ("convoy_step_" + std::to_string(getpid()) + ".json");
  const std::string command =
      std::string(CONVOY_BINARY_DIR "/bin/convoy run --device=cpu --num_devices=1 --profile") +
      " --variable_update=replicated --num_warmup_batches=2 --model=" + it.model +
      " --batch_size=" + std::to_string(it.batch) + " --num_batches=" + std::to_string(it.steps) +
      (it.bf16 ? " --use_fp16" : "") + " --output_file=" + path.string() + " >/dev/null";
  json record;
  if (std::system(command.c_str()) != 0) {
    error = "failed: " + command;
  } else {
    record = convoy::parse_json(std::ifstream(path));
    error = defect(record, it);
  }
  std::filesystem::remove(path);
  return record;
}

void training_step(benchmark::State& state, const Case& it) {
  for (auto _ : state) {
    std::string error;
    const json record = run(it, error);
    if (!error.empty()) {
      state.SkipWithError(error.c_str());
      return;
    }
    const json& profile = record.at("profile");
    const double step = profile.at("step_seconds");
    const double primitives = profile.at("primitives_seconds");
    const double least = profile.at("least_seconds");
    state.SetIterationTime(step);
    state.counters["images/s"] = it.batch / step;
    state.counters["primitives_ms"] = primitives * 1e3;
    state.counters["step/primitives"] = step / primitives;
    state.counters["step/least"] = step / least;
    state.counters["allowed"] = kAllowed;
    state.counters["executor%"] =
        100 * record.at("step_breakdown").at("executor").get<double>() / step;
    state.counters["GFLOP/s"] = profile.at("multiply_flops_per_sec").get<double>() / 1e9;
    state.counters["GB/s"] = profile.at("stream_bytes_per_sec").get<double>() / 1e9;
  }
}

void add(const Case& it) {
  const std::string name = std::string("TrainingStep/") + it.model +
                           "/batch:" + std::to_string(it.batch) + (it.bf16 ? "/bf16" : "");
  benchmark::RegisterBenchmark(name.c_str(), training_step, it)
      ->UseManualTime()
      ->Iterations(1)
      ->Unit(benchmark::kMillisecond);
}

}  // namespace

int main(int count, char** arguments) {
  constexpr Case kCases[] = {{"lenet", 8, 4, 4},       {"resnet50", 16, 4, 54},
                             {"alexnet", 64, 6, 8},    {"vgg16", 8, 4, 16},
                             {"inception3", 8, 5, 95}, {"resnet152", 8, 4, 156},
                             {"mobilenet", 16, 6, 54}};
  for (Case it : kCases) {
    add(it);
    it.bf16 = true;
    add(it);
  }
  benchmark::Initialize(&count, arguments);
  if (benchmark::ReportUnrecognizedArguments(count, arguments)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
