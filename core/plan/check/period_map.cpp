#include "core/plan/check/period_map.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "core/plan/check/common_cuts.hpp"

namespace convoy::check {
namespace {

constexpr std::uint32_t kNone = UINT32_MAX;

// Memory of the map: a buffer that survives the period, or what one forward read.
struct Side {
  std::uint32_t buffer = CONVOY_NONE;
  const ForwardRead* read = nullptr;
  bool arena = false;  // numbered as the arena
  std::vector<Piece> pieces;
};

struct Node {
  std::uint32_t side = 0;
  ElementRange range{};
  ValueId value = 0;
  std::optional<std::uint64_t> offset;  // of the arena
};

// What the columns of a matrix stand for, in the order in which it was met.
template <typename Key>
class Columns {
 public:
  std::uint32_t of(const Key& key) {
    const auto [it, inserted] = numbers_.try_emplace(key, static_cast<std::uint32_t>(keys_.size()));
    if (inserted) keys_.push_back(key);
    return it->second;
  }
  std::vector<Key> take() { return std::move(keys_); }

 private:
  std::vector<Key> keys_;
  std::map<Key, std::uint32_t> numbers_;
};

class Mapper {
 public:
  Mapper(const Plan& plan, const SymbolicRun& period, const SymbolicRun& begun)
      : plan_(plan), period_(period), begun_(begun), values_(period.values()) {}

  PeriodMap map() {
    collect_sides();
    make_nodes();
    merge_nodes();
    if (map_.faults.empty()) find_offsets();
    if (map_.faults.empty()) make_classes();
    map_.gradients = gradients_.take();
    return std::move(map_);
  }

 private:
  const std::vector<Term>& terms(ValueId value) {
    const auto known = terms_.find(value);
    if (known != terms_.end()) return known->second;
    return terms_.emplace(value, values_.expand(value, Casts::kErrors)).first->second;
  }
  AtomKind kind(const Term& term) const { return values_.atom(term.atom).kind; }

  void collect_sides() {
    side_of_.assign(plan_.buffers.size(), kNone);
    for (std::uint32_t b = 0; b < plan_.buffers.size(); ++b) {
      const PlanBuffer& buffer = plan_.buffers[b];
      if (!period_.relevant(b) || buffer.kind == CONVOY_BUFFER_SCRATCH) continue;
      side_of_[b] = static_cast<std::uint32_t>(sides_.size());
      sides_.push_back({b, nullptr, buffer.kind != CONVOY_BUFFER_PERSISTENT,
                        pieces(period_.memory(b), buffer.count)});
    }
    for (const ForwardRead& read : period_.reads())
      sides_.push_back({CONVOY_NONE, &read, true, period_.contents().content(read.content)});
  }

  static std::vector<Piece> pieces(const BufferContent& content, std::uint64_t count) {
    std::vector<Piece> result;
    for (const auto& [first, value] : content.intervals()) {
      if (!result.empty()) result.back().count = first - result.back().first;
      result.push_back({first, count - first, value});
    }
    return result;
  }

  // All sides in the arena's numbers are cut alike.
  std::uint32_t cuts_of(std::uint32_t side) const { return sides_[side].arena ? 0 : side + 1; }

  void make_nodes() {
    CommonCuts cuts(sides_.size() + 1, values_);
    for (std::uint32_t s = 0; s < sides_.size(); ++s) {
      for (const Piece& piece : sides_[s].pieces) {
        cuts.cut(cuts_of(s), piece.first);
        for (const Term& term : terms(piece.value))
          if (kind(term) == AtomKind::kHeld)
            cuts.link(cuts_of(s), {piece.first, piece.count}, cuts_of(held_side(term)), term.shift);
      }
      if (sides_[s].buffer == CONVOY_NONE) continue;
      for (const auto& [first, value] : begun_.memory(sides_[s].buffer).intervals())
        cuts.cut(cuts_of(s), first);
    }
    cuts.spread();
    for (std::uint32_t s = 0; s < sides_.size(); ++s) {
      first_node_.push_back(nodes_.size());
      for (const Piece& piece : sides_[s].pieces)
        for (const ElementRange& range : cuts.pieces(cuts_of(s), {piece.first, piece.count}))
          nodes_.push_back({s, range, piece.value, std::nullopt});
    }
    first_node_.push_back(nodes_.size());
  }

  std::uint32_t held_side(const Term& term) const {
    return side_of_[values_.atom(term.atom).buffer];
  }

  std::size_t node_at(std::uint32_t side, std::uint64_t element) const {
    const auto begin = nodes_.begin() + static_cast<std::ptrdiff_t>(first_node_[side]);
    const auto end = nodes_.begin() + static_cast<std::ptrdiff_t>(first_node_[side + 1]);
    const auto after = std::upper_bound(
        begin, end, element, [](std::uint64_t at, const Node& it) { return at < it.range.first; });
    return static_cast<std::size_t>(std::prev(after) - nodes_.begin());
  }

  std::size_t held_node(const Node& node, const Term& term) const {
    const auto element = static_cast<std::int64_t>(node.range.first) + term.shift;
    return node_at(held_side(term), static_cast<std::uint64_t>(element));
  }

  std::size_t root(std::size_t node) {
    while (parents_[node] != node) node = parents_[node] = parents_[parents_[node]];
    return node;
  }

  // Nodes are of one class when one holds what the other held, or both hold what the same kernel
  // made.
  void merge_nodes() {
    parents_.resize(nodes_.size());
    std::iota(parents_.begin(), parents_.end(), std::size_t{0});
    std::map<AtomId, std::size_t> with_kernel;
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      values_.spend(1, values_.value(nodes_[n].value).operation);
      for (const Term& term : terms(nodes_[n].value)) {
        if (kind(term) == AtomKind::kHeld) parents_[root(n)] = root(held_node(nodes_[n], term));
        if (kind(term) != AtomKind::kOpaque) continue;
        const auto [it, inserted] = with_kernel.try_emplace(term.atom, n);
        if (!inserted) parents_[root(n)] = root(it->second);
      }
    }
  }

  void note_fault(const Node& node, const Value& value) {
    using Kind = PeriodFault::Kind;
    const std::uint32_t buffer = sides_[node.side].buffer;
    // What no backward has written yet is no matter until somebody reads it.
    if (value.poison && buffer != CONVOY_NONE) return;
    map_.faults.push_back({value.poison ? Kind::kUnknown : Kind::kConstant, value.operation, buffer,
                           node.range, value.constant.value});
  }

  void note_shift(const Node& node, std::int64_t by) {
    map_.faults.push_back({PeriodFault::Kind::kShifted, values_.value(node.value).operation,
                           sides_[node.side].buffer, node.range, static_cast<double>(by)});
  }

  // Which elements of the arena persistent memory stands for: those that it is added to.
  void find_offsets() {
    std::vector<std::vector<std::size_t>> neighbours(nodes_.size());
    std::vector<std::size_t> open;
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      if (sides_[nodes_[n].side].arena) set_offset(n, nodes_[n].range.first, open);
      for (const Term& term : terms(nodes_[n].value)) {
        if (kind(term) == AtomKind::kHeld) {
          const std::size_t other = held_node(nodes_[n], term);
          neighbours[n].push_back(other);
          neighbours[other].push_back(n);
        }
        if (kind(term) == AtomKind::kGradient)
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

  void make_classes() {
    std::map<std::size_t, std::vector<std::size_t>> members;
    for (std::size_t n = 0; n < nodes_.size(); ++n) members[root(n)].push_back(n);
    std::map<std::uint64_t, std::vector<PeriodClass>> by_element;  // of the arena
    for (const auto& [unused, nodes] : members) {
      const bool read = std::any_of(nodes.begin(), nodes.end(), [&](std::size_t n) {
        return sides_[nodes_[n].side].read != nullptr;
      });
      if (!read) continue;
      PeriodClass made = make_class(nodes);
      by_element[made.reads.front().range.first].push_back(std::move(made));
    }
    std::set<std::vector<std::uint64_t>> known;
    for (auto& [unused, classes] : by_element)
      if (known.insert(signature(classes)).second) keep(std::move(classes));
  }

  void keep(std::vector<PeriodClass> classes) {
    std::vector<std::size_t>& group = map_.together.emplace_back();
    for (PeriodClass& it : classes) {
      group.push_back(map_.classes.size());
      map_.classes.push_back(std::move(it));
    }
  }

  PeriodClass make_class(const std::vector<std::size_t>& nodes) {
    PeriodClass result;
    Columns<AtomId> errors;
    Columns<AtomId> opaque;
    local_.clear();
    for (const std::size_t n : nodes)
      if (sides_[nodes_[n].side].read == nullptr)
        local_.emplace(n, static_cast<std::uint32_t>(local_.size()));
    for (const std::size_t n : nodes) {
      const Node& node = nodes_[n];
      const Side& side = sides_[node.side];
      const Value& value = values_.value(node.value);
      if (value.poison || !value.constant.is_zero()) note_fault(node, value);
      if (side.read != nullptr) {
        result.reads.push_back({side.read->replica, side.read->compute, side.read->operation,
                                node.range, states_of(node),
                                atoms_of(node, AtomKind::kOpaque, opaque)});
        continue;
      }
      result.states.push_back({side.buffer, node.range, values_.value(node.value).operation});
      result.step.push_back(states_of(node));
      result.gradients.push_back(gradients_of(node));
      result.errors.push_back(atoms_of(node, AtomKind::kCast, errors));
      result.opaque.push_back(atoms_of(node, AtomKind::kOpaque, opaque));
      result.start.push_back(start_of(node));
    }
    result.error_atoms = errors.take();
    result.opaque_atoms = opaque.take();
    return result;
  }

  LinearRow states_of(const Node& node) {
    std::map<std::uint32_t, Weight> row;
    for (const Term& term : terms(node.value)) {
      if (kind(term) != AtomKind::kHeld) continue;
      const auto [it, inserted] = row.try_emplace(local_.at(held_node(node, term)), term.weight);
      if (!inserted) it->second = it->second + term.weight;
    }
    return to_row(row);
  }

  static LinearRow to_row(const std::map<std::uint32_t, Weight>& sums) {
    LinearRow row;
    for (const auto& [index, weight] : sums)
      if (!weight.is_zero()) row.push_back({index, weight});
    return row;
  }

  LinearRow gradients_of(const Node& node) {
    std::map<std::uint32_t, Weight> row;
    for (const Term& term : terms(node.value)) {
      const Atom& atom = values_.atom(term.atom);
      if (atom.kind != AtomKind::kGradient) continue;
      const auto [it, inserted] =
          row.try_emplace(gradients_.of({atom.replica, atom.step}), term.weight);
      if (!inserted) it->second = it->second + term.weight;
    }
    return to_row(row);
  }

  // One column per atom, whatever elements of it: a class holds the same ones of each.
  LinearRow atoms_of(const Node& node, AtomKind wanted, Columns<AtomId>& columns) {
    std::map<std::uint32_t, Weight> row;
    for (const Term& term : terms(node.value)) {
      if (kind(term) != wanted) continue;
      const auto [it, inserted] = row.try_emplace(columns.of(term.atom), term.weight);
      if (!inserted) it->second = it->second + term.weight;
    }
    return to_row(row);
  }

  // The prologue makes sums of the first parameters, and of nothing else.
  Weight start_of(const Node& node) {
    using Kind = PeriodFault::Kind;
    const std::uint32_t buffer = sides_[node.side].buffer;
    const ValueId id = begun_value(buffer, node.range.first);
    const Value& value = begun_.values().value(id);
    if (!value.poison && !value.constant.is_zero())
      map_.faults.push_back(
          {Kind::kConstant, value.operation, buffer, node.range, value.constant.value});
    Weight sum{0, 0};
    for (const Term& term : begun_.values().expand(id, Casts::kThrough)) {
      if (begun_.values().atom(term.atom).kind == AtomKind::kInitial)
        sum = sum + term.weight;
      else
        map_.faults.push_back({Kind::kUnknown, value.operation, buffer, node.range, 0});
    }
    return sum;
  }

  ValueId begun_value(std::uint32_t buffer, std::uint64_t element) const {
    return std::prev(begun_.memory(buffer).intervals().upper_bound(element))->second;
  }

  // Equal for classes of one stretch of the arena that do the same to that of another one.
  std::vector<std::uint64_t> signature(const std::vector<PeriodClass>& classes) const {
    std::vector<std::uint64_t> words;
    Columns<AtomId> atoms;  // those that several classes share
    for (const PeriodClass& it : classes) {
      add_signature(it, words);
      for (const auto* list : {&it.error_atoms, &it.opaque_atoms})
        for (const AtomId atom : *list) words.push_back(atoms.of(atom));
    }
    values_.spend(words.size(), CONVOY_NONE);
    return words;
  }

  void add_signature(const PeriodClass& it, std::vector<std::uint64_t>& words) const {
    words.insert(words.end(), {it.states.size(), it.reads.size(), it.error_atoms.size(),
                               it.opaque_atoms.size()});
    const auto add = [&](const LinearRow& row) {
      words.push_back(row.size());
      for (const Addend& addend : row) {
        words.push_back(addend.index);
        words.push_back(addend.weight.field);
      }
    };
    for (const auto* rows : {&it.step, &it.gradients, &it.errors, &it.opaque})
      for (const LinearRow& row : *rows) add(row);
    for (const Weight& weight : it.start) words.push_back(weight.field);
    for (const PeriodState& state : it.states) words.push_back(plan_.buffers[state.buffer].kind);
    for (const PeriodRead& read : it.reads) {
      words.push_back(read.replica);
      words.push_back(read.compute);
      add(read.states);
      add(read.opaque);
    }
  }

  const Plan& plan_;
  const SymbolicRun& period_;
  const SymbolicRun& begun_;
  const ValueTable& values_;
  std::vector<Side> sides_;
  std::vector<std::uint32_t> side_of_;  // by buffer
  std::vector<Node> nodes_;
  std::vector<std::size_t> first_node_;  // by side
  std::vector<std::size_t> parents_;
  std::map<std::size_t, std::uint32_t> local_;
  std::map<ValueId, std::vector<Term>> terms_;
  Columns<GradientKey> gradients_;
  PeriodMap map_;
};

}  // namespace

PeriodMap map_period(const Plan& plan, const SymbolicRun& period, const SymbolicRun& begun) {
  return Mapper(plan, period, begun).map();
}

}  // namespace convoy::check
