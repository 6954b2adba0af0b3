#include "core/plan/check/recurrence/period_map.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/plan/check/recurrence/canonical_form.hpp"
#include "core/plan/check/recurrence/columns.hpp"
#include "core/plan/check/recurrence/period_nodes.hpp"
#include "core/plan/check/recurrence/push_sum.hpp"
#include "core/plan/check/recurrence/symmetric_products.hpp"
#include "core/plan/union_find.hpp"

namespace convoy::plan::check {
namespace {

class Mapper {
 public:
  Mapper(const Plan& plan, const SymbolicRun& period, const SymbolicRun& begun, Begun what,
         const SymmetricProducts* symmetric, const PushSum* ratios)
      : plan_(plan),
        begun_(begun),
        what_(what),
        ratios_(ratios),
        values_(period.values()),
        nodes_(plan, period, begun, symmetric, ratios),
        merged_(nodes_.size()) {}

  PeriodMap map() {
    find_live();
    merge_nodes();
    if (map_.faults.empty()) find_offsets();
    if (map_.faults.empty()) make_systems();
    map_.gradients = gradients_.take();
    map_.earlier = earlier_.take();
    return std::move(map_);
  }

 private:
  // Finds the nodes on which forwards depend, directly or later. The others are overwritten before
  // they are read, or lead to no forward.
  void find_live() {
    live_.assign(nodes_.size(), false);
    std::vector<std::size_t> open;
    const auto reach = [&](std::size_t node) {
      if (!live_[node]) open.push_back(node);
      live_[node] = true;
    };
    for (std::size_t n = 0; n < nodes_.size(); ++n)
      if (nodes_.side(nodes_[n]).read != nullptr) reach(n);
    std::set<std::pair<ValueId, std::uint64_t>> known;
    while (!open.empty()) {
      const PeriodNode& node = nodes_[open.back()];
      open.pop_back();
      if (!known.insert({node.value, node.range.first}).second) continue;
      for (const Term& term : nodes_.terms(node)) {
        // The result of a kernel depends on everything that it may have read.
        if (nodes_.kind(term) == AtomKind::kOpaque) return live_.assign(nodes_.size(), true);
        if (nodes_.kind(term) == AtomKind::kHeld) reach(nodes_.held(node, term));
      }
    }
  }

  // Nodes belong to one system if one holds contents that the other held, or if both hold results
  // of the same kernel.
  void merge_nodes() {
    std::map<AtomId, std::uint32_t> with_kernel;
    for (std::uint32_t n = 0; n < nodes_.size(); ++n) {
      values_.spend(1, values_.value(nodes_[n].value).operation);
      if (!live_[n]) continue;
      for (const Term& term : nodes_.terms(nodes_[n])) {
        if (nodes_.kind(term) == AtomKind::kHeld) merged_.join(n, nodes_.held(nodes_[n], term));
        if (nodes_.kind(term) != AtomKind::kOpaque) continue;
        const auto [it, inserted] = with_kernel.try_emplace(term.atom, n);
        if (!inserted) merged_.join(n, it->second);
      }
    }
  }

  void note_fault(const PeriodNode& node, const Value& value) {
    using Kind = PeriodFault::Kind;
    const std::uint32_t buffer = nodes_.side(node).buffer;
    // A gradient that no backward has written yet matters only if it is read.
    if (value.poison && buffer != CONVOY_NONE) return;
    map_.faults.push_back({value.poison ? Kind::kUnknown : Kind::kConstant, value.operation, buffer,
                           node.range, value.constant.value});
  }

  void note_shift(const PeriodNode& node, std::int64_t by) {
    map_.faults.push_back({PeriodFault::Kind::kShifted, values_.value(node.value).operation,
                           nodes_.side(node).buffer, node.range, static_cast<double>(by)});
  }

  // Finds the elements of the arena for which persistent memory stands: those to which it is added.
  void find_offsets() {
    std::vector<std::vector<std::size_t>> neighbours(nodes_.size());
    std::vector<std::size_t> open;
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      if (!live_[n]) continue;
      if (nodes_.side(nodes_[n]).arena) set_offset(n, nodes_[n].range.first, open);
      for (const Term& term : nodes_.terms(nodes_[n])) {
        if (nodes_.kind(term) == AtomKind::kHeld) {
          const std::size_t other = nodes_.held(nodes_[n], term);
          neighbours[n].push_back(other);
          neighbours[other].push_back(n);
        }
        if (nodes_.kind(term) == AtomKind::kGradient)
          set_offset(n, nodes_[n].range.first + static_cast<std::uint64_t>(term.shift), open);
      }
    }
    while (!open.empty()) {
      const std::size_t node = open.back();
      open.pop_back();
      for (const std::size_t other : neighbours[node])
        set_offset(other, *nodes_[node].offset, open);
    }
  }

  void set_offset(std::size_t node, std::uint64_t offset, std::vector<std::size_t>& open) {
    std::optional<std::uint64_t>& known = nodes_[node].offset;
    if (known && *known != offset)
      note_shift(nodes_[node], static_cast<std::int64_t>(offset - *known));
    if (known) return;
    known = offset;
    open.push_back(node);
  }

  void make_systems() {
    std::map<std::size_t, std::vector<std::size_t>> members;
    for (std::uint32_t n = 0; n < nodes_.size(); ++n)
      if (live_[n]) members[merged_.root(n)].push_back(n);
    note_unread();
    std::map<std::uint64_t, std::vector<LinearSystem>> by_element;  // of the arena
    for (const auto& [unused, nodes] : members) {
      const bool read = std::any_of(nodes.begin(), nodes.end(), [&](std::size_t n) {
        return nodes_.side(nodes_[n]).read != nullptr;
      });
      if (!read) continue;
      LinearSystem made = make_system(nodes);
      note_bases(made);
      by_element[made.reads.front().range.first].push_back(std::move(made));
    }
    std::set<std::vector<std::uint64_t>> known;
    for (auto& [unused, systems] : by_element)
      if (known.insert(canonical_form(plan_, systems, values_)).second) keep(std::move(systems));
  }

  void note_bases(const LinearSystem& made) {
    for (const AtomId error : made.error_atoms)
      if (const AtomId basis = values_.atom(error).basis; basis != kNoAtom)
        map_.bases.try_emplace(basis, made.reads.front().range);
  }

  void note_unread() {
    std::set<std::size_t> read;
    for (std::uint32_t n = 0; n < nodes_.size(); ++n)
      if (nodes_.side(nodes_[n]).read != nullptr) read.insert(merged_.root(n));
    for (std::uint32_t n = 0; n < nodes_.size(); ++n)
      if (!live_[n] || !read.contains(merged_.root(n)))
        map_.unread.push_back({nodes_.side(nodes_[n]).buffer, nodes_[n].range});
  }

  void keep(std::vector<LinearSystem> systems) {
    std::vector<std::size_t>& group = map_.groups.emplace_back();
    for (LinearSystem& it : systems) {
      group.push_back(map_.systems.size());
      map_.systems.push_back(std::move(it));
    }
  }

  LinearSystem make_system(const std::vector<std::size_t>& nodes) {
    LinearSystem result;
    Columns<AtomId> errors;
    Columns<AtomId> opaque;
    Columns<AtomId> earlier;
    local_.clear();
    for (const std::size_t n : nodes)
      if (nodes_.side(nodes_[n]).read == nullptr)
        local_.emplace(n, static_cast<std::uint32_t>(local_.size()));
    for (const std::size_t n : nodes) {
      const PeriodNode& node = nodes_[n];
      const PeriodSide& side = nodes_.side(node);
      const Value& value = values_.value(node.value);
      if (value.poison || !value.constant.is_zero()) note_fault(node, value);
      if (side.read != nullptr) {
        result.reads.push_back({side.read->replica, side.read->compute, side.read->operation,
                                node.range, states_of(node),
                                atoms_of(node, AtomKind::kOpaque, opaque), node.value});
        continue;
      }
      result.states.push_back(
          {side.buffer, node.range, values_.value(node.value).operation, node.value});
      result.step.push_back(states_of(node));
      result.gradients.push_back(gradients_of(node));
      result.errors.push_back(atoms_of(node, AtomKind::kCast, errors));
      result.opaque.push_back(atoms_of(node, AtomKind::kOpaque, opaque));
      result.start.push_back(start_of(node));
      result.start_errors.push_back(start_errors_of(node, earlier));
      result.start_gradients.push_back(start_gradients_of(node));
    }
    result.error_atoms = errors.take();
    result.opaque_atoms = opaque.take();
    return result;
  }

  LinearRow states_of(const PeriodNode& node) {
    std::map<std::uint32_t, Weight> row;
    for (const Term& term : nodes_.terms(node)) {
      if (nodes_.kind(term) != AtomKind::kHeld) continue;
      add_weight(row, local_.at(nodes_.held(node, term)), term.weight);
    }
    return to_row(row);
  }

  static LinearRow to_row(const std::map<std::uint32_t, Weight>& sums) {
    LinearRow row;
    for (const auto& [index, weight] : sums)
      if (!weight.is_zero()) row.push_back({index, weight});
    return row;
  }

  LinearRow gradients_of(const PeriodNode& node) {
    std::map<std::uint32_t, Weight> row;
    for (const Term& term : nodes_.terms(node)) {
      const Atom& atom = values_.atom(term.atom);
      if (atom.kind != AtomKind::kGradient) continue;
      add_weight(row, gradients_.of({atom.replica, atom.step}), term.weight);
    }
    return to_row(row);
  }

  // Each atom has one column, whatever its elements, because all states of a system hold the same
  // elements of each atom.
  LinearRow atoms_of(const PeriodNode& node, AtomKind wanted, Columns<AtomId>& columns) {
    std::map<std::uint32_t, Weight> row;
    for (const Term& term : nodes_.terms(node)) {
      if (nodes_.kind(term) != wanted) continue;
      add_weight(row, columns.of(term.atom), term.weight);
    }
    return to_row(row);
  }

  // The prologue makes sums of the first parameters, and of nothing else. Earlier stages may add
  // gradients and errors.
  Weight start_of(const PeriodNode& node) {
    using Kind = PeriodFault::Kind;
    const std::uint32_t buffer = nodes_.side(node).buffer;
    if (ratios_ != nullptr)
      if (const auto settled = ratios_->settled(buffer)) return *settled;
    const ValueId id = begun_value(buffer, node.range.first);
    const Value& value = begun_.values().value(id);
    if (!value.poison && !value.constant.is_zero())
      map_.faults.push_back(
          {Kind::kConstant, value.operation, buffer, node.range, value.constant.value});
    Weight sum{0, 0};
    for (const Term& term : begun_.values().expand(id, Casts::kThrough)) {
      const AtomKind kind = begun_.values().atom(term.atom).kind;
      const bool known = kind == AtomKind::kInitial ||
                         (kind == AtomKind::kGradient && what_ == Begun::kEarlierStages);
      if (kind == AtomKind::kInitial) sum = sum + term.weight;
      if (known)
        require_place(node, term.shift, value.operation);
      else
        map_.faults.push_back({Kind::kUnknown, value.operation, buffer, node.range, 0});
    }
    return sum;
  }

  // Requires that the contents belong to the elements for which the node stands.
  void require_place(const PeriodNode& node, std::int64_t shift, std::uint32_t operation) {
    if (!node.offset) return;
    const std::int64_t by = static_cast<std::int64_t>(node.range.first - *node.offset) + shift;
    if (by != 0)
      map_.faults.push_back({PeriodFault::Kind::kShifted, operation, nodes_.side(node).buffer,
                             node.range, static_cast<double>(by)});
  }

  LinearRow start_gradients_of(const PeriodNode& node) {
    if (what_ == Begun::kPrologue) return {};
    std::map<std::uint32_t, Weight> row;
    const ValueTable& values = begun_.values();
    for (const Term& term :
         values.expand(begun_value(nodes_.side(node).buffer, node.range.first), Casts::kThrough)) {
      const Atom& atom = values.atom(term.atom);
      if (atom.kind != AtomKind::kGradient) continue;
      add_weight(row, earlier_.of({atom.replica, atom.step}), term.weight);
    }
    return to_row(row);
  }

  LinearRow start_errors_of(const PeriodNode& node, Columns<AtomId>& columns) {
    if (what_ == Begun::kPrologue) return {};
    std::map<std::uint32_t, Weight> row;
    const ValueTable& values = begun_.values();
    for (const Term& term :
         values.expand(begun_value(nodes_.side(node).buffer, node.range.first), Casts::kErrors)) {
      if (values.atom(term.atom).kind != AtomKind::kCast) continue;
      const Weight weight = term.weight * gradient_in_source(term.atom);
      add_weight(row, columns.of(term.atom), weight);
    }
    return to_row(row);
  }

  // Returns how much of a gradient the value contained that a cast or a kernel of an earlier stage
  // rounded.
  Weight gradient_in_source(AtomId error) const {
    const ValueTable& values = begun_.values();
    for (const Term& term : values.expand(values.atom(error).inputs.front(), Casts::kThrough))
      if (values.atom(term.atom).kind == AtomKind::kGradient) return term.weight;
    return {};
  }

  ValueId begun_value(std::uint32_t buffer, std::uint64_t element) const {
    return begun_.memory(buffer).at(element);
  }

  const Plan& plan_;
  const SymbolicRun& begun_;
  Begun what_;
  const PushSum* ratios_;
  const ValueTable& values_;
  PeriodNodes nodes_;
  std::vector<bool> live_;  // by node
  UnionFind merged_;
  std::map<std::size_t, std::uint32_t> local_;
  Columns<GradientKey> gradients_;
  Columns<GradientKey> earlier_;
  PeriodMap map_;
};

}  // namespace

PeriodMap map_period(const Plan& plan, const SymbolicRun& period, const SymbolicRun& begun,
                     Begun what) {
  if (what == Begun::kEarlierStages)
    return Mapper(plan, period, begun, what, nullptr, nullptr).map();
  const SymmetricProducts symmetric(plan, period, begun);
  const PushSum ratios(plan, period, begun);
  return Mapper(plan, period, begun, what, &symmetric, &ratios).map();
}

}  // namespace convoy::plan::check
