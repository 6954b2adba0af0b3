// The same seed on the same devices gives the same bits, whoever is slow: batches come late at
// random, other threads want the cores, and the parameters are the same every time.
#include <gtest/gtest.h>

#include <convoy/model.hpp>

#include <chrono>
#include <random>
#include <set>
#include <thread>

#include "core/base/error.hpp"
#include "core/graph/assembler.hpp"
#include "core/runtime/supported.hpp"
#include "core/train/optimizer.hpp"
#include "tests/devices/fake/fake_device.hpp"
#include "tests/runtime/plugins.hpp"
#include "tests/runtime/training.hpp"
#include "tests/sanitized.hpp"

namespace convoy::testing::determinism_test {
namespace {

constexpr int kRuns = kSanitized ? 2 : 3;
constexpr std::int64_t kSteps = 5;
constexpr std::uint32_t kBatch = 4;
constexpr std::uint32_t kSize = 16;

// Everything that could have an order of its own: convolutions, batch norms, dropout, joins.
graph::Graph network() {
  return graph::assemble_graph("restless", kSize, 7, [](const auto& builder) {
    GraphBuilder graph(builder);
    const BatchNormOptions norm{.scale = true};
    LayerId x = graph.conv(graph.input(), 16, {.kernel = 3, .batch_norm = norm, .relu = true});
    const LayerId shortcut = x;
    x = graph.conv(x, 16, {.kernel = 3, .groups = 16, .batch_norm = norm, .relu = true});
    x = graph.conv(x, 16, {.batch_norm = norm});
    x = graph.relu(graph.add(x, shortcut));
    x = graph.concat({graph.max_pool(x), graph.average_pool(x)});
    x = graph.fully_connected(x, 64, {.relu = true});
    x = graph.dropout(x, 0.5);
    graph.classify(x);
  });
}

// Wants every core again and again while it lives, for up to a millisecond each time, and half of
// the time in all: whoever computes there is interrupted more often than by one that never rests.
class Load {
 public:
  Load() {
    for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency()); ++i)
      threads_.emplace_back([i](const std::stop_token& stop) {
        std::minstd_rand random(i + 1);
        while (!stop.stop_requested()) {
          const std::chrono::microseconds turn(random() % 1000);
          const auto end = std::chrono::steady_clock::now() + turn;
          while (std::chrono::steady_clock::now() < end) {
          }
          std::this_thread::sleep_for(turn);
        }
      });
  }

 private:
  std::vector<std::jthread> threads_;
};

struct Variant {
  std::string strategy;
  plugin::OptionValues options;
};

std::vector<Variant> variants() {
  return {{"parameter_server", {{"local_parameter_device", "cpu"}}},
          {"parameter_server", {{"local_parameter_device", "gpu"}}},
          {"parameter_server", {{"staged_vars", "true"}}},
          {"parameter_server", {{"variable_consistency", "relaxed"}}},
          {"replicated", {}},
          {"replicated", {{"local_parameter_device", "cpu"}}},
          {"replicated", {{"all_reduce_spec", "psgpu#2"}}},
          {"replicated", {{"all_reduce_spec", "xring#2"}}},
          {"replicated", {{"all_reduce_spec", "collective"}}},
          {"replicated", {{"hierarchical_copy", "true"}}},
          {"replicated", {{"gradient_repacking", "3"}}},
          {"replicated", {{"variable_consistency", "relaxed"}}},
          {"independent", {}}};
}

runtime::SessionOptions options_with(std::uint64_t seed) {
  OptimizerOptions optimizer;
  optimizer.kind = CONVOY_OPTIMIZER_RMSPROP;
  runtime::SessionOptions options;
  options.batch = kBatch;
  options.seed = seed;
  options.bucket_elements = 2048;
  options.deterministic = true;
  options.optimizer = train::make_optimizer(optimizer, 3);
  return options;
}

std::string train_once(const Variant& variant, std::uint64_t seed, unsigned delays) {
  plugin::PluginHost host;
  const auto cpu = cpu_plugin(host);
  const auto strategy = strategy_plugin(host, variant.strategy, variant.options);
  runtime::Session session(network(), *strategy, open_devices(*cpu, 3, 2), options_with(seed));
  NumberSource source({session.cluster().replicas(), kBatch, std::size_t{3} * kSize * kSize, 7},
                      [](std::int64_t image) { return 0.1f * static_cast<float>(image % 11); });
  std::minstd_rand random(delays);
  source.before_acquire = [&](std::int64_t) {
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 2000));
  };
  train(session, source, 0.01, kSteps);
  return session.values().parameter_hash();
}

TEST(Determinism, EveryStrategyGivesTheSameParametersEveryTime) {
  for (const Variant& variant : variants()) {
    SCOPED_TRACE(variant.strategy +
                 (variant.options.empty() ? "" : " " + variant.options.begin()->first));
    std::set<std::string> hashes;
    for (unsigned run = 0; run < kRuns; ++run) {
      std::optional<Load> load;
      if (run > 0) load.emplace();
      hashes.insert(train_once(variant, 1, run));
    }
    EXPECT_EQ(hashes.size(), 1u) << ::testing::PrintToString(hashes);
    EXPECT_EQ(hashes.begin()->size(), 32u);
    EXPECT_FALSE(hashes.contains(train_once(variant, 2, 0))) << "the seed does not matter";
  }
}

plan::check::CheckReport report_of(plan::check::Verdict verdict, plan::check::Verdict exact) {
  plan::check::CheckReport report;
  report.verdict = verdict;
  report.exact = exact;
  return report;
}

convoy_device_description device(std::uint32_t flags) {
  convoy_device_description description{};
  description.flags = flags;
  std::copy_n("odd:0", 6, description.name);
  return description;
}

std::string refusal(const plan::check::CheckReport& report, std::uint32_t flags) {
  try {
    runtime::require_deterministic("hogwild", report, {device(flags)});
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kUsage);
    return error.what();
  }
  return "";
}

TEST(Determinism, IsRefusedToAsynchronousPlansAndDevicesThatDoNotPromiseIt) {
  const plan::check::CheckReport synchronous =
      report_of(plan::check::Verdict::kSynchronous, plan::check::Verdict::kSynchronous);
  EXPECT_EQ(refusal(synchronous, CONVOY_DEVICE_DETERMINISTIC), "");
  EXPECT_NE(refusal(synchronous, 0).find("odd:0"), std::string::npos);
  for (const plan::check::Verdict verdict :
       {plan::check::Verdict::kAsynchronous, plan::check::Verdict::kApproximate}) {
    const std::string text = refusal(report_of(verdict, plan::check::Verdict::kAsynchronous),
                                     CONVOY_DEVICE_DETERMINISTIC);
    EXPECT_NE(text.find("--variable_update=hogwild"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace convoy::testing::determinism_test
