#include "core/simulate/tasks/task_costs.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>

namespace convoy::simulate {
namespace {

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

// How much longer a fetch over the network may take to begin, as a part of its fixed time. When a
// parameter server has updated a variable, all hosts fetch it. If all fetches took exactly the same
// time, equal hosts would stay in lockstep: all of them fetch from one server while the others are
// idle, and then from the next one. No real cluster does. (Simulations of networks know this as
// phase effects.) The result hardly depends on the size of the spread.
constexpr double kFetchSpread = 0.05;

double length_of(const plan::PlanSpan& span) {
  return static_cast<double>(span.count * plan::dtype_bytes(span.dtype));
}

// How often a device reads its input. top_k counts three digits of all magnitudes, then counts what
// each part takes, then takes it. quantise finds the scales first.
double read_passes(plan::OperationKind kind) {
  if (kind == plan::OperationKind::kTopK) return 5;
  return kind == plan::OperationKind::kQuantise ? 2 : 1;
}

// The memory traffic of scatter, per element that it writes: whole sectors of memory around each
// value. The rest of its output is only set.
struct Scattered {
  double read = 1;
  double written = 1;
};
Scattered scattered(const plan::Operation& operation) {
  constexpr double kSectorElements = 8;
  const plan::PlanSpan& to = operation.writes.front();
  const auto values = static_cast<double>(operation.reads.front().count);
  const double touched = std::min(1.0, kSectorElements * values / static_cast<double>(to.count));
  const bool in_place = operation.reads.size() > 2 && plan::same_span(operation.reads[2], to);
  return {in_place ? touched : 1, touched + (in_place ? 0 : 1)};
}

// The number of kernels that a GPU runs one after the other.
double launches(const plan::Operation& operation) {
  switch (operation.kind) {
    case plan::OperationKind::kTopK:
      return 10;
    case plan::OperationKind::kQuantise:
      return 2;
    case plan::OperationKind::kScatter:
      return 1 + static_cast<double>(operation.details->sizes[0]);
    default:
      return 1;
  }
}

Activity activity_of(plan::OperationKind kind) {
  if (kind == plan::OperationKind::kCopy) return Activity::kCopy;
  return kind == plan::OperationKind::kApply ? Activity::kUpdate : Activity::kSum;
}

}  // namespace

TaskCosts::TaskCosts(const plan::Plan& plan, const SimulatedMachine& machine,
                     const SimulationOptions& options, TaskGraph& graph)
    : plan_(plan),
      machine_(machine),
      options_(options),
      graph_(graph),
      routes_(machine, graph),
      collectives_(machine, options, routes_),
      host_devices_(machine.hosts.size()) {
  for (const SimulatedLink& link : machine.links)
    graph.links.push_back(
        {link.bytes_per_second, link.receives ? options.software.incast_loss : 0});
  for (std::uint32_t place = 0; place < machine.places.size(); ++place)
    if (machine.places[place].device != kNone)
      host_devices_[machine.places[place].host].push_back(place);
  if (options.software.rpc_bytes_per_second > 0) add_rpc_links();
  find_passages();
  // The slowest of n devices whose steps are normally distributed.
  const double devices = plan.cluster->replicas();
  const double straggling = 1 + options.software.straggler_sigma * std::sqrt(2 * std::log(devices));
  for (LayerTimes& layers : graph.layers) layers = layers.scaled(straggling);
}

// Adds a sending and a receiving link per host. Both are slower while the host's devices compute.
void TaskCosts::add_rpc_links() {
  const SoftwareProfile& software = options_.software;
  first_rpc_link_ = static_cast<std::uint32_t>(graph_.links.size());
  graph_.links.resize(graph_.links.size() + 2 * machine_.hosts.size(),
                      {software.rpc_bytes_per_second, 0});
  if (software.network_progress >= 1) return;
  for (std::uint32_t host = 0; host < host_devices_.size(); ++host) {
    if (host_devices_[host].empty()) continue;
    const std::uint32_t group = routes_.add_group(host_devices_[host]);
    for (const std::uint32_t link : {2 * host, 2 * host + 1})
      graph_.slowed_links.push_back({first_rpc_link_ + link, group,
                                     software.network_progress * software.rpc_bytes_per_second});
  }
}

std::size_t TaskCosts::CostHash::operator()(const TaskCost& cost) const {
  std::size_t hash = std::hash<const PassTime*>()(cost.pass);
  const auto add = [&](std::uint64_t word) { hash = (hash ^ word) * 0x9e3779b97f4a7c15u; };
  for (const double number : {cost.seconds, cost.bytes, cost.limit, cost.busy_limit})
    add(std::bit_cast<std::uint64_t>(number));
  add(std::uint64_t{cost.group} << 32 | cost.way);
  add(static_cast<std::uint64_t>(cost.activity));
  return hash ^ hash >> 32;
}

Task TaskCosts::in_graph(const CostedTask& task) {
  const auto [it, is_new] =
      costs_.try_emplace(task, static_cast<std::uint32_t>(graph_.costs.size()));
  if (is_new) graph_.costs.push_back(task);
  return {it->second, task.place, 0, task.route};
}

Task TaskCosts::task(const plan::Operation& operation) {
  CostedTask task = costed(operation);
  task.place = operation.place;
  return in_graph(task);
}

CostedTask TaskCosts::costed(const plan::Operation& operation) {
  if (plan::is_compute(operation.kind)) return compute(operation);
  if (plan::is_collective(operation.kind)) return collective(operation);
  return operation.kind == plan::OperationKind::kCopy ? copy(operation) : kernel(operation);
}

CostedTask TaskCosts::compute(const plan::Operation& operation) const {
  const SimulatedPlace& place = machine_.places.at(operation.place);
  const LayerTimes& layers = graph_.layers.at(place.device);
  const bool forward = operation.kind == plan::OperationKind::kForward;
  CostedTask task;
  task.activity = Activity::kCompute;
  task.pass = &(forward ? layers.forward : layers.backward).at(operation.segment);
  return task;
}

CostedTask TaskCosts::collective(const plan::Operation& operation) {
  const bool gathers = operation.reads.size() < operation.writes.size();
  const auto& spans = gathers || operation.reads.size() == operation.writes.size()
                          ? operation.writes
                          : operation.reads;
  std::vector<std::uint32_t> places;
  std::vector<bool> known(machine_.places.size(), false);
  double bytes = 0;
  for (const plan::PlanSpan& span : spans) {
    const std::uint32_t place = place_of(span);
    if (!known[place]) places.push_back(place);
    known[place] = true;
    bytes = std::max(bytes, length_of(span));
  }
  for (const plan::PlanSpan& span : operation.reads) bytes = std::max(bytes, length_of(span));
  return collectives_.task(operation, places, bytes);
}

std::vector<std::string> TaskCosts::take_ways() {
  std::vector<std::string> ways;
  for (const CollectiveChoice& choice : collectives_.take_choices()) ways.push_back(text(choice));
  return ways;
}

void TaskCosts::load_memory(std::uint32_t place, double weight) {
  const std::uint32_t memory = machine_.places[place].memory;
  if (memory != kNone) sum_.add(memory, weight);
}

double TaskCosts::local_rate(std::uint32_t engine) const {
  const SimulatedPlace& place = machine_.places[engine];
  if (place.device != kNone) {
    const SimulatedDevice& device = machine_.devices[place.device];
    const double rate = device.memory_efficiency * device.memory_bytes_per_second;
    return rate > 0 ? rate : kNoLimit;
  }
  const SimulatedHost& host = machine_.hosts[place.host];
  double rate = host.add_bytes_per_second > 0 ? host.add_bytes_per_second : kNoLimit;
  if (options_.software.add_bytes_per_second > 0)
    rate = std::min(rate, options_.software.add_bytes_per_second);
  return options_.input.images > 0 ? rate * host.add_share_while_decoding : rate;
}

CostedTask TaskCosts::transfer(std::uint32_t from, std::uint32_t to, double bytes) {
  return transfer(way(from, to), bytes);
}

CostedTask TaskCosts::transfer(const Way& way, double bytes) const {
  CostedTask task;
  task.activity = Activity::kCopy;
  task.seconds = options_.software.copy_seconds;
  task.bytes = bytes;
  task.limit = kNoLimit;
  task.busy_limit = kNoLimit;
  task.route = way.route;
  if (way.kind == PathKind::kNetwork) task.seconds += options_.software.rpc_seconds;
  return task;
}

const TaskCosts::Way& TaskCosts::way(std::uint32_t from, std::uint32_t to) {
  const auto [way, is_new] = ways_.at(from, to);
  if (!is_new) return way;
  sum_.clear();
  const Path& path = routes_.path(from, to);
  sum_.add(path, 1);
  load_memory(from, 1);
  load_memory(to, 1);
  if (path.kind == PathKind::kNetwork && first_rpc_link_ != kNone) {
    sum_.add(first_rpc_link_ + 2 * machine_.places[from].host, 1);
    sum_.add(first_rpc_link_ + 2 * machine_.places[to].host + 1, 1);
  }
  return way = {routes_.add(sum_), path.kind};
}

// Finds the buffers of hosts that are copied to a single device only. They are in the memory near
// this device.
void TaskCosts::find_passages() {
  passages_.assign(plan_.buffers.size(), kNone);
  constexpr std::uint32_t kSeveral = kNone - 1;
  for (const plan::Operation& operation : plan_.body) {
    if (operation.kind != plan::OperationKind::kCopy) continue;
    const std::uint32_t to = place_of(operation.writes.front());
    if (machine_.places[to].device == kNone) continue;
    std::uint32_t& reader = passages_[operation.reads.front().buffer];
    reader = reader == kNone || reader == to ? to : kSeveral;
  }
  for (std::uint32_t& reader : passages_)
    if (reader == kSeveral) reader = kNone;
}

// The route from a device to host memory near another one, across the sockets between the two.
std::uint32_t TaskCosts::route_to_passage(std::uint32_t from, std::uint32_t to,
                                          std::uint32_t target) {
  const auto [route, is_new] = passage_routes_.at(from, target);
  if (!is_new) return route;
  sum_.clear();
  sum_.add(routes_.path(from, to), 1);
  for (const std::uint32_t link : routes_.path(from, target).links)
    if (machine_.links[link].joins_sockets) sum_.add(link, 1);
  load_memory(to, 1);
  return route = routes_.add(sum_);
}

CostedTask TaskCosts::copy(const plan::Operation& operation) {
  const std::uint32_t from = place_of(operation.reads.front());
  const std::uint32_t to = place_of(operation.writes.front());
  const Way& way = this->way(from, to);
  CostedTask task = transfer(way, length_of(operation.writes.front()));
  if (way.kind == PathKind::kNetwork &&
      plan_.buffers[operation.reads.front().buffer].kind == CONVOY_BUFFER_MASTER)
    task.spread = kFetchSpread * options_.software.rpc_seconds;
  const std::uint32_t target = passages_[operation.writes.front().buffer];
  if (target != kNone && target != from && machine_.places[from].device != kNone &&
      machine_.places[to].device == kNone && machine_.places[to].host == machine_.places[from].host)
    task.route = route_to_passage(from, to, target);
  const std::uint32_t device = machine_.places[operation.place].device;
  // A processor copies by reading and writing itself.
  const bool by_kernel = from == to || (device != kNone && machine_.devices[device].one_engine) ||
                         way.kind == PathKind::kLocal;
  if (by_kernel) task.limit = std::min(task.limit, local_rate(operation.place) / 2);
  return task;
}

// The bytes per second at which a device computes the operation's products. Their number does not
// follow from the bytes. Gram-Schmidt has four per element and earlier column.
double TaskCosts::pace_of_arithmetic(const plan::Operation& operation, double bytes,
                                     std::uint32_t device) const {
  const auto& [rows, columns, inner, batch] = operation.details->sizes;
  const double rate =
      machine_.devices[device].flops_efficiency * machine_.devices[device].flops_per_second;
  double flops = 0;
  if (operation.kind == plan::OperationKind::kMatmul)
    flops = 2.0 * static_cast<double>(std::max<std::uint64_t>(batch, 1) * rows * columns) *
            static_cast<double>(inner);
  if (operation.kind == plan::OperationKind::kOrthogonalise)
    flops = 4.0 * static_cast<double>(rows * columns) * static_cast<double>(columns + 1);
  if (operation.kind == plan::OperationKind::kCall)
    flops = static_cast<double>(operation.details->flops);
  return flops > 0 && rate > 0 ? bytes * rate / flops : kNoLimit;
}

// The traffic of an engine's memory per byte of the task; `bytes` is the size of the largest span.
// Adds the engine's memory and the links to spans in other places to the route.
double TaskCosts::kernel_traffic(const plan::Operation& operation, double bytes) {
  const std::uint32_t engine = operation.place;
  double traffic = 0;
  const auto go_through = [&](const plan::PlanSpan& span, double times, bool read) {
    const double weight = times * length_of(span) / bytes;
    const std::uint32_t at = place_of(span);
    traffic += weight;
    load_memory(at, weight);
    if (at != engine) sum_.add(read ? routes_.path(at, engine) : routes_.path(engine, at), weight);
  };
  const bool scatters = operation.kind == plan::OperationKind::kScatter;
  const Scattered onto = scatters ? scattered(operation) : Scattered{};
  for (std::size_t i = 0; i < operation.reads.size(); ++i)
    go_through(operation.reads[i], i == 2 && scatters ? onto.read : read_passes(operation.kind),
               true);
  const bool update = operation.kind == plan::OperationKind::kApply;
  const double write_times = update ? 2 + 2.0 * options_.state_slots : onto.written;
  for (const plan::PlanSpan& span : operation.writes) go_through(span, write_times, false);
  if (operation.kind == plan::OperationKind::kSum && machine_.places[engine].device == kNone) {
    traffic += options_.software.extra_sum_traffic;
    load_memory(engine, options_.software.extra_sum_traffic);
  }
  // A kernel declares how much it moves in all, but it passes over its spans at least once.
  const double said = static_cast<double>(operation.details->bytes) / bytes;
  if (said > traffic) load_memory(engine, said - traffic);
  return std::max(said, traffic);
}

// The seconds until element-wise work begins, which starting its kernels takes.
double TaskCosts::kernel_start(const plan::Operation& operation) const {
  const SimulatedPlace& place = machine_.places[operation.place];
  if (place.device == kNone) return options_.software.host_operation_seconds;
  const SimulatedDevice& device = machine_.devices[place.device];
  return device.one_engine ? device.kernel_seconds : device.kernel_seconds * launches(operation);
}

// The cost of element-wise work. It passes over all its spans at the rate of its engine's memory
// and of the links to spans in other places.
CostedTask TaskCosts::kernel(const plan::Operation& operation) {
  const std::uint32_t device = machine_.places[operation.place].device;
  CostedTask task;
  task.activity = activity_of(operation.kind);
  task.seconds = kernel_start(operation);
  for (const auto* spans : {&operation.reads, &operation.writes})
    for (const plan::PlanSpan& span : *spans) task.bytes = std::max(task.bytes, length_of(span));
  sum_.clear();
  const double traffic = kernel_traffic(operation, task.bytes);
  task.limit = traffic > 0 ? local_rate(operation.place) / traffic : kNoLimit;
  if (device != kNone)
    task.limit = std::min(task.limit, pace_of_arithmetic(operation, task.bytes, device));
  task.busy_limit = task.limit;
  task.route = routes_.add(sum_);
  if (task.route == kNone && task.limit < kNoLimit) {
    task.seconds += task.bytes / task.limit;
    task.bytes = 0;
  }
  return task;
}

}  // namespace convoy::simulate
