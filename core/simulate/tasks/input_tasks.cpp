#include "core/simulate/tasks/input_tasks.hpp"

#include <limits>
#include <map>

namespace convoy::simulate {
namespace {

class InputBuilder {
 public:
  InputBuilder(const plan::Plan& plan, const SimulatedMachine& machine,
               const SimulationOptions& options, const std::vector<std::uint32_t>& numbers,
               TaskCosts& costs, TaskGraph& graph)
      : plan_(plan),
        machine_(machine),
        options_(options),
        numbers_(numbers),
        costs_(costs),
        graph_(graph) {}

  InputTasks run() {
    for (std::uint32_t i = 0; i < plan_.body.size(); ++i) {
      const plan::Operation& operation = plan_.body[i];
      if (operation.kind == plan::OperationKind::kForward && operation.segment == 0)
        feed(operation.place, numbers_[i]);
    }
    return std::move(result_);
  }

 private:
  void feed(std::uint32_t device, std::uint32_t forward) {
    const std::uint32_t host = plan_.cluster->places[device].near_place;
    const double images = static_cast<double>(options_.input.images);
    CostedTask copy =
        costs_.transfer(host, device, images * static_cast<double>(options_.input.bytes_per_image));
    copy.place = device;
    const std::uint32_t decoding = add(decode(host, images), "decode", device, kNone, true);
    const std::uint32_t copying = add(copy, "copy", device, copy_engine(device), true);
    result_.waits.push_back({copying, decoding, 0});
    result_.waits.push_back({forward, copying, 0});
    result_.waits.push_back({copying, forward, 2});
    if (options_.software.input_pass_bytes_per_second == 0) return;
    const std::uint32_t passing = add(pass(host, copy.bytes), "pass", device, kNone, false);
    result_.waits.push_back({forward, passing, 0});
  }

  // A pass over the images of this step, before the device starts. A host has one rate for all
  // devices.
  CostedTask pass(std::uint32_t host, double bytes) {
    CostedTask task = host_task(host);
    task.bytes = bytes;
    task.route = shared(passes_, host, options_.software.input_pass_bytes_per_second);
    return task;
  }

  // Images count as the bytes of the flow.
  CostedTask decode(std::uint32_t host, double images) {
    CostedTask task = host_task(host);
    const SimulatedHost& kind = machine_.hosts[machine_.places[host].host];
    if (kind.input_cores == 0) return task;
    task.bytes = images;
    task.route = shared(decoders_, host, kind.input_cores * kind.decoded_images_per_core);
    return task;
  }

  static CostedTask host_task(std::uint32_t host) {
    CostedTask task;
    task.activity = Activity::kSum;
    task.place = host;
    task.limit = std::numeric_limits<double>::infinity();
    task.busy_limit = task.limit;
    return task;
  }

  // The route over a link that only tasks of this kind on this host use.
  std::uint32_t shared(std::map<std::uint32_t, std::uint32_t>& routes, std::uint32_t host,
                       double rate) {
    const auto [it, inserted] = routes.try_emplace(machine_.places[host].host);
    if (!inserted) return it->second;
    const LinkShare share{static_cast<std::uint32_t>(graph_.links.size()), 1};
    graph_.links.push_back({rate, 0});
    return it->second = graph_.routes.add({&share, 1});
  }

  // The engine of copies into the device; kNone if the plan has none.
  std::uint32_t copy_engine(std::uint32_t device) const {
    for (std::uint32_t engine = 0; engine < graph_.engines.size(); ++engine)
      for (const std::uint32_t lane : graph_.engines[engine].lanes)
        if (graph_.engines[engine].place == device &&
            graph_.lanes[lane].kind == CONVOY_LANE_COPY_IN)
          return engine;
    return kNone;
  }

  // Adds a task. Each device has one lane per kind of task, for all phases.
  std::uint32_t add(const CostedTask& task, const char* kind, std::uint32_t device,
                    std::uint32_t engine, bool runs_ahead) {
    const auto [it, inserted] = lanes_.try_emplace({device, kind});
    if (inserted) {
      it->second = static_cast<std::uint32_t>(graph_.lanes.size());
      if (engine == kNone) {
        engine = static_cast<std::uint32_t>(graph_.engines.size());
        graph_.engines.push_back({task.place, {}});
      }
      graph_.engines[engine].lanes.push_back(it->second);
      graph_.lanes.push_back({engine, CONVOY_LANE_COPY_IN, {}, runs_ahead});
    }
    const auto index = static_cast<std::uint32_t>(graph_.tasks.size());
    graph_.lanes[it->second].tasks.push_back({index, 0});
    graph_.tasks.push_back(costs_.in_graph(task));
    return index;
  }

  const plan::Plan& plan_;
  const SimulatedMachine& machine_;
  const SimulationOptions& options_;
  const std::vector<std::uint32_t>& numbers_;
  TaskCosts& costs_;
  TaskGraph& graph_;
  InputTasks result_;
  std::map<std::uint32_t, std::uint32_t> decoders_;  // per host, their route
  std::map<std::uint32_t, std::uint32_t> passes_;
  std::map<std::pair<std::uint32_t, std::string>, std::uint32_t> lanes_;
};

}  // namespace

InputTasks add_input_tasks(const plan::Plan& lowered, const SimulatedMachine& machine,
                           const SimulationOptions& options,
                           const std::vector<std::uint32_t>& numbers, TaskCosts& costs,
                           TaskGraph& graph) {
  if (options.input.images == 0) return {};
  return InputBuilder(lowered, machine, options, numbers, costs, graph).run();
}

}  // namespace convoy::simulate
