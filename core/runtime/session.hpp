#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/graph/arena.hpp"
#include "core/graph/graph.hpp"
#include "core/graph/graph_view.hpp"
#include "core/plan/check.hpp"
#include "core/plan/plan.hpp"
#include "core/plan/schedule.hpp"
#include "core/plugin/device_plugin.hpp"
#include "core/plugin/strategy_plugin.hpp"
#include "core/runtime/executor.hpp"
#include "core/runtime/memory.hpp"

namespace convoy {

struct SessionOptions {
  std::uint32_t devices = 0;  // 0: as many as the machine naturally has
  std::uint32_t threads = 0;  // per CPU device; 0: share the cores
  std::uint32_t batch = 1;    // per replica
  std::uint64_t seed = 1;
  bool hash_initializer = false;  // reference fill instead of the layers' initialisers
  bool dropout = true;
  bool accuracy = false;       // count top-1 and top-5 hits
  bool deterministic = false;  // refuse what cannot promise equal bits
  std::uint64_t bucket_elements = std::uint64_t{4} << 20;
  convoy_optimizer optimizer{};
  ExecutorOptions executor;
};

// A model on devices under a strategy, ready to take steps: devices open, storage chosen, plan
// written, lowered and scheduled, memory allocated, parameters initialised alike everywhere, layers
// compiled. The plug-ins must outlive it.
class Session {
 public:
  Session(Graph graph, StrategyPlugin& strategy, const DevicePlugin& devices,
          const SessionOptions& options);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const SessionOptions& options() const { return options_; }
  const Graph& graph() const { return graph_; }
  // How variables, gradients and optimizer state are stored.
  const Arena& arena() const { return *arena_; }
  // What the checker proved of the plan.
  const CheckReport& check() const { return check_; }
  const Plan& logical_plan() const { return logical_; }
  const Plan& lowered_plan() const { return lowered_; }
  const Schedule& schedule() const { return schedule_; }
  const Cluster& cluster() const { return cluster_; }
  const std::vector<convoy_device_description>& devices() const { return descriptions_; }
  std::uint32_t replicas() const { return cluster_.replicas(); }
  Executor& executor() { return *executor_; }
  PlanMemory& memory() { return *memory_; }
  double now() { return opened_.front()->now(); }

  // The sum of w^2 over decayed elements before the first step.
  double initial_square_sum() const { return initial_square_sum_; }
  // The trained parameters of one variable, plain (OIHW, OI or N), as of the last finished step.
  std::vector<float> read_variable(std::size_t variable) const;

 private:
  struct Release {
    OpenDevice* device;
    void operator()(void* program) const { device->release(program); }
  };
  using Program = std::unique_ptr<void, Release>;

  void open_devices(const DevicePlugin& devices);
  void choose_layout();
  void make_plans(StrategyPlugin& strategy);
  void check_claim(const Manifest& strategy);
  void require_promises(const Manifest& strategy);
  void compile();
  void start(StrategyPlugin& strategy);
  void abandon_hung_devices();
  void initialize_parameters();
  convoy_compilation compilation(const GraphView& view, std::uint32_t replica) const;
  std::vector<convoy_decay_range> decayed_ranges() const;

  SessionOptions options_;
  Graph graph_;
  std::vector<std::unique_ptr<OpenDevice>> opened_;
  std::vector<convoy_device_description> descriptions_;
  Cluster cluster_;
  std::optional<Arena> arena_;
  std::unique_ptr<GraphView> view_;
  ArenaMap map_;
  Plan logical_;
  CheckReport check_;
  Plan lowered_;
  Schedule schedule_;
  Engines engines_;
  std::unique_ptr<PlanMemory> memory_;
  double initial_square_sum_ = 0;
  std::vector<Program> programs_;  // per replica
  std::unique_ptr<Executor> executor_;
};

// The cluster that open devices form on this host.
Cluster make_cluster(const std::vector<convoy_device_description>& devices);

}  // namespace convoy
