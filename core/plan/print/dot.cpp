#include "core/plan/print/dot.hpp"

#include <fmt/format.h>

#include <map>
#include <ostream>

#include "core/plan/print/print.hpp"
#include "core/plan/schedule/dependencies.hpp"

namespace convoy::plan {
namespace {

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

std::string cluster_name(const Plan& plan, const Operation& operation, bool lanes) {
  if (operation.place == CONVOY_NONE) return "anywhere";
  const std::string& place = plan.cluster->places[operation.place].name;
  return lanes ? fmt::format("{} {}", place, lane_name(operation.lane)) : place;
}

std::string label(const Plan& plan, const Operation& operation) {
  std::string text = fmt::format("#{} {}", operation.id, operation_name(operation.kind));
  if (is_compute(operation.kind)) text += fmt::format(" {}", operation.replica);
  const std::string variables = operation_variables(plan, operation);
  if (!variables.empty()) text += "\\n" + escaped(variables);
  return text;
}

// Which operations lead to others within one iteration: reachable[b] has a if b waits for a.
class Reachability {
 public:
  explicit Reachability(const DependencyLists& dependencies) {
    for (std::size_t operation = 0; operation < dependencies.size(); ++operation) {
      std::vector<bool> before(dependencies.size(), false);
      for (const Dependency& wait : dependencies[operation]) {
        if (wait.distance != 0) continue;
        before[wait.before] = true;
        for (std::size_t i = 0; i < before.size(); ++i)
          if (reachable_[wait.before][i]) before[i] = true;
      }
      reachable_.push_back(std::move(before));
    }
  }
  // Whether another operation that `to` waits for already waits for this one.
  bool implied(std::span<const Dependency> waits, const Dependency& wait) const {
    for (const Dependency& other : waits)
      if (other.distance == 0 && wait.distance == 0 && reachable_[other.before][wait.before])
        return true;
    return false;
  }

 private:
  std::vector<std::vector<bool>> reachable_;
};

}  // namespace

void print_dot(std::ostream& out, const Plan& plan, bool lanes) {
  std::map<std::string, std::vector<std::size_t>> clusters;
  for (std::size_t i = 0; i < plan.body.size(); ++i)
    clusters[cluster_name(plan, plan.body[i], lanes)].push_back(i);
  out << "digraph plan {\n  rankdir=LR;\n  node [shape=box];\n";
  std::size_t number = 0;
  for (const auto& [name, members] : clusters) {
    out << fmt::format("  subgraph cluster_{} {{\n    label=\"{}\";\n", number++, escaped(name));
    for (const std::size_t i : members)
      out << fmt::format("    n{} [label=\"{}\"];\n", i, label(plan, plan.body[i]));
    out << "  }\n";
  }
  const auto dependencies = find_dependencies(plan);
  const Reachability reachability(dependencies);
  for (std::size_t i = 0; i < dependencies.size(); ++i)
    for (const Dependency& wait : dependencies[i]) {
      if (reachability.implied(dependencies[i], wait)) continue;
      out << fmt::format("  n{} -> n{}{};\n", wait.before, i,
                         wait.distance == 0 ? "" : " [style=dashed, constraint=false]");
    }
  out << "}\n";
}

}  // namespace convoy::plan
