// Three steps of training: the plan that runs, its schedule, and what comes of it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>

#include "core/base/error.hpp"
#include "core/train/optimizer.hpp"
#include "tests/devices/fake/fake_device.hpp"
#include "tests/fingerprints/plan_digest.hpp"
#include "tests/fingerprints/recorded.hpp"
#include "tests/fingerprints/variants.hpp"
#include "tests/runtime/plugins.hpp"
#include "tests/runtime/small_models.hpp"
#include "tests/runtime/training.hpp"

namespace convoy::testing {
namespace {

constexpr std::uint32_t kBatch = 4;
constexpr std::int64_t kSteps = 3;

runtime::SessionOptions session_options(const plan::GuardOptions& guards, std::uint32_t devices) {
  OptimizerOptions optimizer;
  optimizer.kind = CONVOY_OPTIMIZER_MOMENTUM;
  runtime::SessionOptions options;
  options.batch = kBatch;
  options.seed = 7;
  options.bucket_elements = 1000;
  options.optimizer = train::make_optimizer(optimizer, devices);
  options.guard = guards;
  return options;
}

std::string trained(const plugin::DevicePlugin& plugin, const Variant& variant,
                    const plan::GuardOptions& guards, std::uint32_t devices) {
  plugin::PluginHost host;
  try {
    const auto strategy = strategy_plugin(host, variant.strategy, variant.options);
    runtime::Session session(small_network(), *strategy, open_devices(plugin, devices),
                             session_options(guards, devices));
    const auto source = hash_images(devices, devices * kBatch);
    train(session, *source, 0.01, kSteps);
    return hex(plan::plan_hash(session.lowered_plan())) + ' ' +
           hex(schedule_hash(session.schedule())) + ' ' + session.values().parameter_hash();
  } catch (const Error& error) {
    return "refused: " + std::string(error.what());
  }
}

// Two devices; what needs more is left out. What the host adds is tried with variants of so few
// options.
std::vector<std::string> trainings_on(const std::string& kind, const plugin::DevicePlugin& plugin,
                                      std::size_t most_options) {
  std::vector<std::string> lines;
  for (const Variant& variant : all_variants()) {
    if (variant.fewest_devices > 2 || is_packed(variant)) continue;
    for (const auto& [name, guards] : sample_guards()) {
      if (guards.changes_plans() && variant.options.size() > most_options) continue;
      lines.push_back(fmt::format("{}, {}, {}: {}", variant.name(), kind, name,
                                  trained(plugin, variant, guards, 2)));
    }
  }
  return lines;
}

TEST(Fingerprints, OfTrainingsOnFakeDevices) {
  expect_recorded("trainings_fake.txt", trainings_on("fake", *fake_plugin(), 1));
}

#ifdef CONVOY_EMULATED_CUDA
TEST(Fingerprints, OfTrainingsOnEmulatedCudaDevices) {
  plugin::PluginHost host;
  const plugin::DevicePlugin plugin(host.load_device(plugin::read_plugin(CONVOY_EMULATED_CUDA)),
                                    {{"gpu_indices", "0,0"}});
  expect_recorded("trainings_cuda.txt", trainings_on("cuda", plugin, 0));
}
#endif

// Bits depend on the processor's instructions and, by the library's blocking, on its caches.
// Virtual machines may hide either, so the model alone does not tell.
std::string processor() {
  std::ifstream in("/proc/cpuinfo");
  std::string text;
  for (std::string line; std::getline(in, line) && !line.empty();) {
    for (const char* fact : {"model name\t", "cpu family\t", "model\t", "cache size\t"})
      if (line.starts_with(fact)) text += line.substr(line.find(':') + 2) + ",";
    if (!line.starts_with("flags\t")) continue;
    for (const char* flag : {"fma", "avx2", "avx512f", "avx512_vnni", "avx512_bf16", "amx_bf16"})
      if ((line + ' ').find(' ' + std::string(flag) + ' ') != std::string::npos)
        text += ' ' + std::string(flag);
  }
  return text;
}

TEST(Fingerprints, OfTrainingsOnCpuDevices) {
  const std::string title = "processor: " + processor();
  std::string recorded;
  std::ifstream in(data_file("trainings_cpu.txt"));
  std::getline(in, recorded);
  if (!writes_fingerprints()) {
    ASSERT_FALSE(recorded.empty()) << "trainings_cpu.txt cannot be read";
  }
  if (!writes_fingerprints() && recorded != title)
    GTEST_SKIP() << "recorded for another " << recorded << ", here it is " << title;
  plugin::PluginHost host;
  std::vector<std::string> lines = trainings_on("cpu", *cpu_plugin(host), 1);
  lines.insert(lines.begin(), title);
  expect_recorded("trainings_cpu.txt", lines);
}

}  // namespace
}  // namespace convoy::testing
