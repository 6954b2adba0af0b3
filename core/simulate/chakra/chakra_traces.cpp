#include "core/simulate/chakra/chakra_traces.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/base/error.hpp"
#include "core/plan/schedule/dependencies.hpp"
#include "core/plan/schedule/schedule.hpp"
#include "core/simulate/chakra/chakra_node.hpp"

namespace convoy::simulate {
namespace {

std::uint64_t bytes_of(const plan::PlanSpan& span) {
  return span.count * plan::dtype_bytes(span.dtype);
}

// The schema's CollectiveCommType.
std::uint32_t collective_number(plan::OperationKind kind) {
  switch (kind) {
    case plan::OperationKind::kAllReduce:
      return 0;
    case plan::OperationKind::kReduce:
      return 1;
    case plan::OperationKind::kAllGather:
      return 2;
    case plan::OperationKind::kBroadcast:
      return 5;
    default:
      CONVOY_CHECK(kind == plan::OperationKind::kReduceScatter);
      return 7;
  }
}

class TraceBuilder {
 public:
  TraceBuilder(const plan::Plan& plan, const SimulatedMachine& machine,
               const std::vector<LayerTimes>& layers,
               const std::vector<SimulatedOperation>& operations)
      : plan_(plan),
        machine_(machine),
        layers_(layers),
        operations_(operations),
        dependencies_(plan::find_dependencies(plan)),
        schedule_(plan::order_lanes(plan, dependencies_)),
        ranks_(plan.cluster->places.size()),
        nodes_of_(plan.body.size()) {
    CONVOY_CHECK_EQ(operations.size(), plan.body.size());
  }

  // Goes through the operations in the order of submission: none waits for a later one.
  ChakraTraces run() {
    for (Rank& rank : ranks_) rank.file.append_delimited(chakra_metadata());
    for (const std::uint32_t i : schedule_.submission) add(i);
    ChakraTraces traces;
    const auto used = [](const Rank& rank) { return rank.nodes > 0; };
    const auto last = std::find_if(ranks_.rbegin(), ranks_.rend(), used);
    ranks_.erase(last.base(), ranks_.end());
    for (const Rank& rank : ranks_) {
      traces.ranks.push_back(rank.file.bytes());
      traces.nodes += rank.nodes;
    }
    traces.groups = groups_text();
    return traces;
  }

 private:
  struct Rank {
    MessageWriter file;
    std::uint64_t nodes = 0;
  };
  // The nodes of one operation on one rank, which have consecutive numbers.
  struct Nodes {
    std::uint32_t rank = 0;
    std::uint64_t last = 0;
  };

  std::uint32_t place_of(const plan::PlanSpan& span) const {
    return plan_.buffers[span.buffer].place;
  }

  void add(std::uint32_t index) {
    current_ = index;
    const plan::Operation& operation = plan_.body[index];
    if (plan::is_collective(operation.kind))
      add_collective(operation);
    else if (operation.kind == plan::OperationKind::kCopy)
      add_copy(operation);
    else
      add_kernel(operation);
  }

  ChakraNode node(ChakraKind kind, std::uint64_t bytes) const {
    ChakraNode it;
    it.kind = kind;
    it.name = fmt::format("{} {}", plan::operation_name(plan_.body[current_].kind), current_);
    it.bytes = bytes;
    it.start_seconds = operations_[current_].start;
    it.seconds = operations_[current_].end - operations_[current_].start;
    return it;
  }

  // Gives the node a number and its dependencies on nodes of other operations and of its own.
  void put(std::uint32_t rank, ChakraNode node, std::vector<std::uint64_t> after = {}) {
    node.id = ++ranks_[rank].nodes;
    node.data_dependencies = std::move(after);
    for (const plan::Dependency& it : dependencies_[current_])
      if (it.distance == 0) append_last(it.before, rank, node.data_dependencies);
    const plan::ScheduledOperation& scheduled = schedule_.operations[current_];
    if (scheduled.position > 0)
      append_last(schedule_.lanes[scheduled.lane].operations[scheduled.position - 1], rank,
                  node.queue_dependencies);
    for (auto* list : {&node.data_dependencies, &node.queue_dependencies}) {
      std::ranges::sort(*list);
      list->erase(std::unique(list->begin(), list->end()), list->end());
    }
    ranks_[rank].file.append_delimited(chakra_message(node));
    std::vector<Nodes>& mine = nodes_of_[current_];
    const auto known = std::ranges::find(mine, rank, &Nodes::rank);
    if (known == mine.end())
      mine.push_back({rank, node.id});
    else
      known->last = node.id;
  }

  // Appends the operation's last finished node on this rank, if there is one.
  void append_last(std::uint32_t operation, std::uint32_t rank,
                   std::vector<std::uint64_t>& list) const {
    if (operation == current_) return;
    for (const Nodes& nodes : nodes_of_[operation])
      if (nodes.rank == rank) list.push_back(nodes.last);
  }

  // Returns the receiver's node.
  std::uint64_t put_message(std::uint32_t from, std::uint32_t to, std::uint64_t bytes,
                            std::vector<std::uint64_t> after = {}) {
    ChakraNode message = node(ChakraKind::kSend, bytes);
    message.source = from;
    message.target = to;
    message.tag = next_tag_++;
    put(from, message, std::move(after));
    message.kind = ChakraKind::kReceive;
    put(to, message);
    return ranks_[to].nodes;
  }

  void add_copy(const plan::Operation& copy) {
    const std::uint32_t from = place_of(copy.reads.front());
    const std::uint32_t to = place_of(copy.writes.front());
    const std::uint64_t bytes = bytes_of(copy.writes.front());
    if (from == to)
      put(to, node(ChakraKind::kCompute, 2 * bytes));
    else
      put_message(from, to, bytes);
  }

  // Spans in other places are sent to the engine of the kernel before it, and results are sent from
  // there after it.
  void add_kernel(const plan::Operation& operation) {
    const std::uint32_t engine = operation.place;
    ChakraNode work = node(ChakraKind::kCompute, 0);
    std::vector<std::uint64_t> received;
    for (const plan::PlanSpan& span : operation.reads) {
      work.bytes += bytes_of(span);
      if (place_of(span) != engine)
        received.push_back(put_message(place_of(span), engine, bytes_of(span)));
    }
    bool sends = false;
    for (const plan::PlanSpan& span : operation.writes) {
      work.bytes += bytes_of(span);
      sends = sends || place_of(span) != engine;
    }
    if (plan::is_compute(operation.kind))
      take_layers(operation, work);
    else
      work.operations = plan::element_count(operation) * operation.reads.size();
    if (!plan::is_compute(operation.kind) && (sends || !received.empty())) work.seconds = 0;
    put(engine, work, received);
    const std::uint64_t done = ranks_[engine].nodes;
    for (const plan::PlanSpan& span : operation.writes)
      if (place_of(span) != engine) put_message(engine, place_of(span), bytes_of(span), {done});
  }

  void take_layers(const plan::Operation& operation, ChakraNode& work) const {
    const LayerTimes& layers = layers_.at(machine_.places.at(operation.place).device);
    const bool forward = operation.kind == plan::OperationKind::kForward;
    const PassTime& pass = (forward ? layers.forward : layers.backward).at(operation.segment);
    work.seconds = pass.seconds;
    work.operations = static_cast<std::uint64_t>(pass.flops);
    work.bytes = static_cast<std::uint64_t>(pass.bytes);
  }

  void add_collective(const plan::Operation& operation) {
    std::set<std::uint32_t> members;
    std::uint64_t largest = 0;
    for (const auto* spans : {&operation.reads, &operation.writes})
      for (const plan::PlanSpan& span : *spans) {
        members.insert(place_of(span));
        largest = std::max(largest, bytes_of(span));
      }
    // An all-gather has the size of the part of each member, other collectives that of the whole
    // span.
    const bool gathers = operation.kind == plan::OperationKind::kAllGather;
    ChakraNode it =
        node(ChakraKind::kCollective, gathers ? bytes_of(operation.reads.front()) : largest);
    it.collective = collective_number(operation.kind);
    if (members.size() < plan_.cluster->replicas())
      it.group = std::to_string(groups_.try_emplace(members, groups_.size() + 1).first->second);
    for (const std::uint32_t rank : members) put(rank, it);
  }

  std::string groups_text() const {
    if (groups_.empty()) return {};
    std::vector<std::string> lines(groups_.size());
    for (const auto& [members, number] : groups_)
      lines[number - 1] = fmt::format("  \"{}\": [{}]", number, fmt::join(members, ", "));
    return fmt::format("{{\n{}\n}}\n", fmt::join(lines, ",\n"));
  }

  const plan::Plan& plan_;
  const SimulatedMachine& machine_;
  const std::vector<LayerTimes>& layers_;
  const std::vector<SimulatedOperation>& operations_;
  plan::DependencyLists dependencies_;
  plan::Schedule schedule_;
  std::vector<Rank> ranks_;
  std::vector<std::vector<Nodes>> nodes_of_;  // per operation
  std::uint32_t current_ = 0;                 // operation
  std::uint32_t next_tag_ = 0;
  std::map<std::set<std::uint32_t>, std::size_t> groups_;  // groups and their numbers
};

}  // namespace

ChakraTraces chakra_traces(const plan::Plan& lowered, const SimulatedMachine& machine,
                           const std::vector<LayerTimes>& layers,
                           const std::vector<SimulatedOperation>& operations) {
  return TraceBuilder(lowered, machine, layers, operations).run();
}

}  // namespace convoy::simulate
