#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/plan/plan.hpp"
#include "core/simulate/collectives/collective_cost.hpp"
#include "core/simulate/simulate.hpp"
#include "core/simulate/tasks/route_table.hpp"

namespace convoy::simulate {

// Computes what the operations of a lowered plan cost: the fixed part, the bytes and the route. It
// adds the links that only the software has to the graph. The layers of the graph must be set.
class TaskCosts {
 public:
  TaskCosts(const plan::Plan& plan, const SimulatedMachine& machine,
            const SimulationOptions& options, TaskGraph& graph);

  Task task(const plan::Operation& operation);
  // The cost of a transfer outside any plan.
  CostedTask transfer(std::uint32_t from, std::uint32_t to, double bytes);
  // Makes a task of the graph. Tasks with equal costs share one entry.
  Task in_graph(const CostedTask& task);
  // Returns how collectives are carried out, for TaskGraph::ways, after all tasks are made.
  std::vector<std::string> take_ways();

 private:
  // The properties that all transfers from one place to another share.
  struct Way {
    std::uint32_t route = kNone;
    PathKind kind = PathKind::kLocal;
  };
  struct CostHash {
    std::size_t operator()(const TaskCost& cost) const;
  };
  CostedTask costed(const plan::Operation& operation);
  CostedTask compute(const plan::Operation& operation) const;
  CostedTask collective(const plan::Operation& operation);
  CostedTask copy(const plan::Operation& operation);
  void find_passages();
  std::uint32_t route_to_passage(std::uint32_t from, std::uint32_t to, std::uint32_t target);
  CostedTask kernel(const plan::Operation& operation);
  double kernel_traffic(const plan::Operation& operation, double bytes);
  double kernel_start(const plan::Operation& operation) const;

  const Way& way(std::uint32_t from, std::uint32_t to);
  CostedTask transfer(const Way& way, double bytes) const;
  void add_rpc_links();
  void load_memory(std::uint32_t place, double weight);
  // The rate of element-wise work on an engine, in bytes per second.
  double local_rate(std::uint32_t engine) const;
  double pace_of_arithmetic(const plan::Operation& operation, double bytes,
                            std::uint32_t device) const;
  std::uint32_t place_of(const plan::PlanSpan& span) const {
    return plan_.buffers[span.buffer].place;
  }

  const plan::Plan& plan_;
  const SimulatedMachine& machine_;
  const SimulationOptions& options_;
  TaskGraph& graph_;
  RouteTable routes_;
  CollectiveCost collectives_;
  std::unordered_map<TaskCost, std::uint32_t, CostHash> costs_;
  std::uint32_t first_rpc_link_ = kNone;
  std::vector<std::vector<std::uint32_t>> host_devices_;
  PlacePairs<Way> ways_;
  RouteSum sum_;
  // Per buffer, the device that it is near to, if any. Routes are found by this device and the
  // writing one.
  std::vector<std::uint32_t> passages_;
  PlacePairs<std::uint32_t> passage_routes_;
};

}  // namespace convoy::simulate
