// Steps of runs on several hosts beside what the simulator foresees of them, over links of several
// rates between network namespaces: share/test.sh foreseen. It foresees them from what a device
// computes alone and from the links as the run measures them before its first step. The table is
// what share/results/foreseen_steps.md shows.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <cmath>
#include <fstream>
#include <iostream>
#include <memory>

#include "core/base/text/json.hpp"
#include "tests/end_to_end/host_tasks.hpp"
#include "tests/end_to_end/network_namespaces.hpp"

namespace convoy::foreseen_steps_test {
namespace {

constexpr double kPatience = 300;  // seconds

// What is started while this lives runs on one core: tasks share the cores by turns.
class OnCore {
 public:
  explicit OnCore(std::size_t task) {
    ::sched_getaffinity(0, sizeof(all_), &all_);
    std::vector<int> cores;
    for (int core = 0; core < CPU_SETSIZE; ++core)
      if (CPU_ISSET(core, &all_)) cores.push_back(core);
    cpu_set_t own;
    CPU_ZERO(&own);
    CPU_SET(cores[task % cores.size()], &own);
    ::sched_setaffinity(0, sizeof(own), &own);
  }
  OnCore(const OnCore&) = delete;
  OnCore& operator=(const OnCore&) = delete;
  ~OnCore() { ::sched_setaffinity(0, sizeof(all_), &all_); }

 private:
  cpu_set_t all_{};
};

struct Strategy {
  std::string name;
  Arguments flags;
  bool has_server = false;
};

const std::vector<Strategy>& strategies() {
  static const std::vector<Strategy> kAll = {
      {"ring", {"--variable_update=replicated", "--all_reduce_spec=xring"}},
      {"server", {"--variable_update=distributed_replicated"}, true}};
  return kAll;
}

struct Model {
  std::string name;
  int batch;
};

struct Link {
  const char* rate;
  const char* burst;
};
constexpr Link kLinks[] = {{"100mbit", "64kb"}, {"1gbit", "512kb"}, {"10gbit", "4mb"}};

struct Case {
  Model model;
  std::size_t workers;
  const Strategy* strategy;
  Link link;
};

// One run of all tasks; the chief's record. Null when it fails.
nlohmann::json run_tasks(const NetworkNamespaces& network, const Model& model, std::size_t workers,
                         const Strategy& strategy, const Arguments& more) {
  const std::string path = scratch_folder("foreseen") + "/run.json";
  std::string hosts;
  for (std::size_t i = 0; i < workers; ++i)
    hosts += (i > 0 ? "," : "") + NetworkNamespaces::address(i) + ":5000";
  Arguments common{"run", "--worker_hosts=" + hosts, "--insecure_network", "--peer_timeout=30"};
  if (strategy.has_server)
    common.push_back("--ps_hosts=" + NetworkNamespaces::address(workers) + ":5000");
  const Arguments training = strategy.flags +
                             Arguments{"--model=" + model.name,
                                       "--batch_size=" + std::to_string(model.batch),
                                       "--device=cpu",
                                       "--num_intra_threads=1",
                                       "--num_warmup_batches=2",
                                       "--num_batches=8",
                                       "--init_learning_rate=1e-6",
                                       "--output_file=" + path} +
                             more;
  std::vector<std::unique_ptr<RunningProgram>> tasks;
  for (std::size_t i = 0; i < workers; ++i) {
    const OnCore core(i);
    tasks.push_back(std::make_unique<RunningProgram>(
        common + Arguments{"--job_name=worker", "--task_index=" + std::to_string(i)} + training,
        network.host(i)));
  }
  if (strategy.has_server)
    tasks.push_back(std::make_unique<RunningProgram>(
        common + Arguments{"--job_name=ps", "--task_index=0"}, network.host(workers)));
  for (const auto& task : tasks) EXPECT_EQ(task->exit_code(kPatience), 0) << task->err();
  if (testing::Test::HasFailure()) return nullptr;
  return parse_json(std::ifstream(path));
}

double median_step(const nlohmann::json& record) {
  return record["total"]["step_seconds"]["p50"].get<double>();
}

// The relative errors of the rows so far. At the end of the program, their mean.
class Errors : public testing::Environment {
 public:
  static void add(double error) {
    sum_ += error;
    ++count_;
  }
  void TearDown() override {
    if (count_ == 0) return;
    std::cout << fmt::format("mean error of {} steps: {:.0f} %", count_, 100 * sum_ / count_)
              << std::endl;
    EXPECT_LT(sum_ / count_, kMostMeanError);
  }

 private:
  // Finds gross errors only: tasks share the cores, and links are made by the same kernel.
  static constexpr double kMostMeanError = 1;
  static inline double sum_ = 0;
  static inline int count_ = 0;
};

const auto* const kErrors = testing::AddGlobalTestEnvironment(new Errors);

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const std::size_t workers : {2u, 4u})
    for (const Model& model : {Model{"lenet", 16}, Model{"mobilenet", 4}})
      for (const Strategy& strategy : strategies())
        for (const Link& link : kLinks) all.push_back({model, workers, &strategy, link});
  return all;
}

// One test per row, so that rows can be taken one at a time.
class ForeseenSteps : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    const std::string reason = NetworkNamespaces::why_not();
    if (!reason.empty()) GTEST_SKIP() << "no network namespaces: " << reason;
  }

  // How long a task's device computes while as many others do: in a run that exchanges nothing,
  // right before the one that does.
  double compute_seconds(const Model& model, std::size_t workers) {
    const NetworkNamespaces network(workers);
    const Strategy alone{"alone", {"--variable_update=independent"}};
    const nlohmann::json record = run_tasks(network, model, workers, alone, {});
    return record.is_null() ? NAN : median_step(record);
  }
};

TEST_P(ForeseenSteps, AreThoseOfTheRun) {
  const Case& it = GetParam();
  const double compute = compute_seconds(it.model, it.workers);
  ASSERT_FALSE(HasFailure());
  const std::size_t hosts = it.workers + (it.strategy->has_server ? 1 : 0);
  NetworkNamespaces network(hosts);
  for (std::size_t host = 0; host < hosts; ++host) network.limit(host, it.link.rate, it.link.burst);
  const nlohmann::json record = run_tasks(
      network, it.model, it.workers, *it.strategy,
      {"--record_timeline", fmt::format("--images_per_sec={}", it.model.batch / compute)});
  ASSERT_FALSE(HasFailure());
  const double measured = median_step(record);
  const double foreseen = record["prediction"]["step_seconds"].get<double>();
  // model, workers, strategy, link, GB/s measured, compute ms, step ms, foreseen ms, error
  std::cout << fmt::format("| {} | {} | {} | {} | {:.3f} | {:.1f} | {:.1f} | {:.1f} | {:+.0f} % |",
                           it.model.name, it.workers, it.strategy->name, it.link.rate,
                           record["peers"].back()["bytes_per_second"].get<double>() / 1e9,
                           1e3 * compute, 1e3 * measured, 1e3 * foreseen,
                           100 * (foreseen / measured - 1))
            << std::endl;
  Errors::add(std::abs(foreseen / measured - 1));
}

INSTANTIATE_TEST_SUITE_P(All, ForeseenSteps, testing::ValuesIn(cases()), [](const auto& it) {
  const Case& row = it.param;
  return fmt::format("{}_{}_{}_{}", row.model.name, row.workers, row.strategy->name, row.link.rate);
});

}  // namespace
}  // namespace convoy::foreseen_steps_test
