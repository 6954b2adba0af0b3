#include "core/plan/check/part_fate.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <unordered_map>
#include <utility>

#include "core/plan/check/audit.hpp"

namespace convoy::check {
namespace {

constexpr std::size_t kMostCells = 32'000'000;

using Name = Fingerprint;

Name sum(const Name& a, const Name& b) {
  return {field_add(a.a, b.a), field_add(a.b, b.b)};
}
Name times(const Name& name, std::uint64_t weight) {
  return {field_multiply(name.a, weight), field_multiply(name.b, weight)};
}

// A name of its own for what it was given, in this order.
class Naming {
 public:
  template <typename... Words>
  explicit Naming(Words... words) {
    (add(words), ...);
  }
  template <typename Word>
  requires std::is_integral_v<Word> || std::is_enum_v<Word>
  void add(Word word) {
    const auto bits = static_cast<std::uint64_t>(word);
    a_ = folded(a_ ^ bits, 0x9e3779b97f4a7c15);
    b_ = folded(b_ ^ bits, 0xd1b54a32d192ed03);
  }
  void add(const Name& name) {
    add(name.a);
    add(name.b);
  }
  void add(const std::string& text) {
    add(text.size());
    for (const char it : text) add(static_cast<unsigned char>(it));
  }
  // Elements of the field, never 0.
  Name name() const { return {field_hash(a_, 1), field_hash(b_, 2)}; }

 private:
  // Both halves of a product of 128 bits.
  static std::uint64_t folded(std::uint64_t a, std::uint64_t b) {
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  }

  std::uint64_t a_ = 0x243f6a8885a308d3;
  std::uint64_t b_ = 0x13198a2e03707344;
};

enum Tag : std::uint64_t {
  kFirstParameters = 1,
  kUnwritten,
  kOne,
  kFreshState,
  kHeldState,
  kRounded,
  kExtreme,
  kLoose,
  kUpdated,
  kUpdatedState,
  kWritten,
  kForwardReads,
  kBackwardReads,
  kGradientOf,
  kLeft,
  kCalled,
};

bool only_moves(OperationKind kind) {
  return kind == OperationKind::kCopy || kind == OperationKind::kBroadcast ||
         kind == OperationKind::kAllGather;
}

}  // namespace

PartFates::PartFates(const Plan& plan, const ScratchLives& lives, const Stretches& stretches)
    : plan_(plan), lives_(lives), stretches_(stretches) {}

PartFates::~PartFates() = default;

// One part after the other.
class PartFates::Run {
 public:
  explicit Run(const PartFates& of) : of_(of), plan_(of.plan_), stretches_(of.stretches_) {
    number_arena_memories();
    group_passes();
    cells_.resize(stretches_.size());
    numbers_.resize(stretches_.size());
    for (const auto* section : {&plan_.prologue, &plan_.body})
      for (const Operation& operation : *section) {
        reaches_.push_back(reach_of(operation));
        note_pieces(operation);
      }
  }

  // None when passes are irregular.
  std::optional<Name> name(std::uint32_t part) {
    if (of_.first_items_[part] == of_.first_items_[part + 1] &&
        of_.first_stretches_[part] == of_.first_stretches_[part + 1])
      return Name{};
    begin(part);
    if (arena_memories_ * locals_ > kMostCells) return std::nullopt;
    held_ = false;
    std::size_t item = of_.first_items_[part];
    const std::size_t end = of_.first_items_[part + 1];
    ++epoch_;
    for (; item < end && is_prologue(of_.items_[item].operation); ++item) execute(of_.items_[item]);
    name_what_is_left();
    held_ = true;
    ++epoch_;
    for (const Event& event : events_) {
      for (; item < end && of_.items_[item].operation < event.pass->operation; ++item)
        execute(of_.items_[item]);
      if (!pass(event)) return std::nullopt;
    }
    for (; item < end; ++item) execute(of_.items_[item]);
    if (!passes_are_complete()) return std::nullopt;
    name_what_is_left();
    return result_;
  }

 private:
  struct Cell {
    Name value;
    Name state;  // of the optimizer
    std::uint64_t epoch = 0;
  };
  struct Touched {
    std::uint32_t memory = 0;
    std::uint32_t stretch = 0;
  };
  // Forwards and backwards of one replica over one stretch, so far.
  struct Progress {
    Name read;
    std::uint64_t forwards = 0;
    std::uint64_t backwards = 0;
  };
  struct Group {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
    std::vector<const Pass*> passes;
  };
  struct Event {
    const Pass* pass = nullptr;
    const Group* group = nullptr;
  };

  bool is_prologue(std::uint32_t operation) const { return operation < plan_.prologue.size(); }

  void number_arena_memories() {
    arena_numbers_.assign(of_.lives_.memories(), 0);
    for (std::uint32_t memory = 0; memory < of_.lives_.memories(); ++memory)
      if (stretches_.in_arena(memory)) arena_numbers_[memory] = arena_memories_++;
    master_numbers_.resize(arena_memories_);
  }

  void group_passes() {
    std::map<std::pair<std::uint32_t, std::uint32_t>, Group> groups;
    computes_.assign(plan_.cluster->replicas(), 0);
    for (const Pass& it : of_.passes_) {
      const std::size_t span = of_.lives_.first_span(it.operation);
      Group& group = groups[{stretches_.first(span), stretches_.count(span)}];
      group.first = stretches_.first(span);
      group.count = stretches_.count(span);
      group.passes.push_back(&it);
      computes_[operation_of(plan_, it.operation).replica] = it.compute + 1;
    }
    for (auto& [unused, group] : groups) groups_.push_back(std::move(group));
  }

  void note_pieces(const Operation& operation) {
    const Reach reach = reaches_.back();
    if (reach != Reach::kScatters && reach != Reach::kGathers) return;
    const bool gathers = reach == Reach::kGathers;
    std::size_t span = of_.lives_.first_span(operation.id) + (gathers ? 0 : operation.reads.size());
    std::vector<std::uint32_t>& ends = pieces_[operation.id];
    for (std::size_t i = (gathers ? operation.reads : operation.writes).size(); i > 0; --i)
      ends.push_back((ends.empty() ? 0 : ends.back()) + stretches_.count(span++));
  }

  void begin(std::uint32_t part) {
    part_ = part;
    result_ = {};
    appeared_ = 0;
    const auto first = of_.arena_stretches_.begin();
    const auto begin = first + static_cast<std::ptrdiff_t>(of_.first_stretches_[part]);
    const auto end = first + static_cast<std::ptrdiff_t>(of_.first_stretches_[part + 1]);
    locals_ = static_cast<std::size_t>(end - begin);
    local_stretches_ = locals_ == 0 ? nullptr : &*begin;
    if (arena_cells_.size() < arena_memories_ * locals_)
      arena_cells_.resize(arena_memories_ * locals_);
    progress_.assign(computes_.size() * locals_, {});
    collect_events();
    choose_leader();
    look_at_lengths();
  }

  void collect_events() {
    events_.clear();
    std::size_t groups = 0;
    for (const Group& group : groups_) {
      const auto* const end = local_stretches_ + locals_;
      const auto* const at = std::lower_bound(local_stretches_, end, group.first);
      if (at == end || *at >= group.first + group.count) continue;
      ++groups;
      for (const Pass* it : group.passes) events_.push_back({it, &group});
    }
    if (groups > 1)
      std::sort(events_.begin(), events_.end(), [](const Event& a, const Event& b) {
        return a.pass->operation < b.pass->operation;
      });
  }

  // The replica whose memory the part's operations write first takes the first one's role.
  void choose_leader() {
    leader_ = 0;
    for (std::size_t i = of_.first_items_[part_]; i < of_.first_items_[part_ + 1]; ++i) {
      const Operation& operation = operation_of(plan_, of_.items_[i].operation);
      if (is_prologue(operation.id)) continue;
      for (const PlanSpan& span : operation.writes) {
        const PlanBuffer& buffer = plan_.buffers[span.buffer];
        if (buffer.kind != CONVOY_BUFFER_PARAMETERS && buffer.kind != CONVOY_BUFFER_GRADIENT)
          continue;
        leader_ = buffer.owner;
        return;
      }
    }
  }

  std::uint32_t role(std::uint32_t replica) const {
    return replica == leader_ ? 0 : replica == 0 ? leader_ : replica;
  }
  std::size_t local(std::uint32_t stretch) const {
    return static_cast<std::size_t>(
        std::lower_bound(local_stretches_, local_stretches_ + locals_, stretch) - local_stretches_);
  }

  // The memory's own name within the part.
  Name code(std::uint32_t memory, std::uint32_t stretch) {
    const PlanBuffer& buffer = plan_.buffers[of_.lives_.buffer(memory)];
    if (!stretches_.in_arena(memory)) {
      std::uint32_t& number = numbers_[stretch];
      if (number == 0) number = ++appeared_;
      return Naming(buffer.kind, buffer.dtype, number).name();
    }
    if (buffer.kind != CONVOY_BUFFER_MASTER)
      return Naming(buffer.kind, buffer.set, role(buffer.owner), local(stretch)).name();
    auto& [part, number] = master_numbers_[arena_numbers_[memory]];
    if (part != part_ + 1) {
      part = part_ + 1;
      number = ++appeared_;
    }
    return Naming(buffer.kind, number, local(stretch)).name();
  }

  // Before anything is written.
  std::pair<Name, Name> start(std::uint32_t memory, std::uint32_t stretch) {
    const std::uint32_t kind = plan_.buffers[of_.lives_.buffer(memory)].kind;
    const Name own = code(memory, stretch);
    if (kind == CONVOY_BUFFER_SCRATCH) return {Naming(kUnwritten, own).name(), {}};
    if (held_) return {own, Naming(kHeldState, own).name()};
    if (kind == CONVOY_BUFFER_PERSISTENT) return {Name{}, {}};
    if (kind == CONVOY_BUFFER_GRADIENT) return {Naming(kUnwritten, own).name(), {}};
    return {Naming(kFirstParameters, local(stretch)).name(), Naming(kFreshState).name()};
  }

  Cell& cell_of_memory(std::uint32_t memory, std::uint32_t stretch) {
    Cell& it = stretches_.in_arena(memory)
                   ? arena_cells_[arena_numbers_[memory] * locals_ + local(stretch)]
                   : cells_[stretch];
    if (it.epoch == epoch_) return it;
    std::tie(it.value, it.state) = start(memory, stretch);
    it.epoch = epoch_;
    touched_.push_back({memory, stretch});
    return it;
  }
  Cell& cell(std::size_t span, std::size_t stretch) {
    return cell_of_memory(of_.lives_.memory(span),
                          stretches_.first(span) + static_cast<std::uint32_t>(stretch));
  }

  void name_what_is_left() {
    const std::vector<Touched> touched = std::exchange(touched_, {});
    for (const Touched& it : touched) {
      if (plan_.buffers[of_.lives_.buffer(it.memory)].kind == CONVOY_BUFFER_SCRATCH) continue;
      const Cell& left = cell_of_memory(it.memory, it.stretch);
      const auto [value, state] = start(it.memory, it.stretch);
      if (left.value == value && left.state == state) continue;
      emit(Naming(kLeft, held_, code(it.memory, it.stretch), left.value, left.state));
    }
  }

  void emit(const Naming& naming) { result_ = sum(result_, naming.name()); }

  bool pass(const Event& event) {
    const Operation& operation = operation_of(plan_, event.pass->operation);
    const auto* const end = local_stretches_ + locals_;
    const auto* at = std::lower_bound(local_stretches_, end, event.group->first);
    for (; at != end && *at < event.group->first + event.group->count; ++at) {
      const auto here = static_cast<std::size_t>(at - local_stretches_);
      Progress& progress = progress_[operation.replica * locals_ + here];
      const bool forward = operation.kind == OperationKind::kForward;
      if (progress.backwards != event.pass->compute ||
          progress.forwards != event.pass->compute + (forward ? 0 : 1))
        return false;
      if (forward)
        run_forward(operation, *event.pass, *at, progress);
      else
        run_backward(operation, *event.pass, *at, progress);
    }
    return true;
  }

  void run_forward(const Operation& operation, const Pass& pass, std::uint32_t stretch,
                   Progress& progress) {
    const PlanSpan& from = operation.reads.front();
    ++progress.forwards;
    progress.read = cell_of_memory(from.buffer, stretch).value;
    emit(Naming(kForwardReads, pass.how, role(operation.replica), local(stretch), progress.read));
  }

  void run_backward(const Operation& operation, const Pass& pass, std::uint32_t stretch,
                    Progress& progress) {
    const PlanSpan& from = operation.reads.front();
    ++progress.backwards;
    const Name now = cell_of_memory(from.buffer, stretch).value;
    emit(Naming(kBackwardReads, pass.how, role(operation.replica), local(stretch), progress.read,
                now));
    cell_of_memory(operation.writes.front().buffer, stretch).value =
        Naming(kGradientOf, role(operation.replica), pass.compute, local(stretch)).name();
  }

  bool passes_are_complete() const {
    for (std::size_t i = 0; i < progress_.size(); ++i) {
      const std::uint64_t computes = computes_[i / locals_];
      if (progress_[i].forwards != computes || progress_[i].backwards != computes) return false;
    }
    return true;
  }

  void execute(const Item& item) {
    const Operation& operation = operation_of(plan_, item.operation);
    if (is_loose(operation))
      emit(Naming(kLoose, operation.kind, operation.flags, operation.max_lag));
    if (operation.kind == OperationKind::kCall) emit(Naming(kCalled, operation.kernel));
    const std::size_t reads = of_.lives_.first_span(operation.id);
    const std::size_t writes = reads + operation.reads.size();
    switch (reaches_[item.operation]) {
      case Reach::kAll:
        return mix(operation, reads, writes);
      case Reach::kScatters: {
        const auto [piece, stretch] = piece_of(item);
        cell(writes + piece, stretch).value = result(operation, reads, item.stretch);
        return;
      }
      case Reach::kGathers: {
        const auto [piece, stretch] = piece_of(item);
        return write_all(operation, writes, item.stretch,
                         loosened(operation, cell(reads + piece, stretch).value));
      }
      default:
        if (operation.kind == OperationKind::kApply) return apply(operation, reads, item.stretch);
        return write_all(operation, writes, item.stretch, result(operation, reads, item.stretch));
    }
  }

  // Which of the pieces, and which of its stretches.
  std::pair<std::size_t, std::size_t> piece_of(const Item& item) const {
    const std::vector<std::uint32_t>& ends = pieces_.at(item.operation);
    const auto at = std::upper_bound(ends.begin(), ends.end(), item.stretch);
    return {static_cast<std::size_t>(at - ends.begin()),
            item.stretch - (at == ends.begin() ? 0 : *std::prev(at))};
  }

  void write_all(const Operation& operation, std::size_t writes, std::size_t stretch,
                 const Name& value) {
    for (std::size_t i = 0; i < operation.writes.size(); ++i)
      cell(writes + i, stretch).value = value;
  }

  static Name loosened(const Operation& operation, const Name& value) {
    if (!is_loose(operation)) return value;
    return Naming(kLoose, operation.flags, operation.max_lag, value).name();
  }

  Name result(const Operation& operation, std::size_t reads, std::size_t stretch) {
    const Name exact = combined(operation, reads, operation.reads.size(), stretch);
    const std::uint32_t dtype = operation.writes.front().dtype;
    const bool rounds = dtype != CONVOY_F32 && !only_moves(operation.kind) &&
                        operation.kind != OperationKind::kFill && !(exact == Name{});
    return loosened(operation, rounds ? Naming(kRounded, dtype, exact).name() : exact);
  }

  Name combined(const Operation& operation, std::size_t reads, std::size_t count,
                std::size_t stretch) {
    const bool scales = operation.kind == OperationKind::kScale ||
                        operation.kind == OperationKind::kAxpy ||
                        operation.kind == OperationKind::kFill || has_factor(operation.kind);
    const std::uint64_t scalar = scales ? from_scalar(operation.scalar).field : 1;
    if (operation.kind == OperationKind::kFill) return times(Naming(kOne).name(), scalar);
    if (has_factor(operation.kind))
      return Naming(operation.kind, scalar, cell(reads, stretch).value,
                    cell(reads + 1, stretch).value)
          .name();
    const bool extreme = operation.reduction != CONVOY_REDUCE_SUM && count > 1 &&
                         (operation.kind == OperationKind::kSum || is_collective(operation.kind));
    Name total;
    for (std::size_t i = 0; i < count; ++i) {
      const Name& value = cell(reads + i, stretch).value;
      const bool weighted = i == 0 && scales;
      total = sum(total, extreme ? Naming(value).name() : weighted ? times(value, scalar) : value);
    }
    return extreme ? Naming(kExtreme, operation.reduction, total).name() : total;
  }

  void apply(const Operation& operation, std::size_t reads, std::size_t stretch) {
    const Name gradient = combined(operation, reads, element_reads(operation), stretch);
    for (std::size_t i = 0; i < operation.writes.size(); ++i) {
      Cell& it = cell(reads + operation.reads.size() + i, stretch);
      const Naming made(it.value, it.state, gradient, operation.contributions, operation.flags,
                        operation.max_lag, operation.phase);
      it.value = Naming(kUpdated, made.name()).name();
      it.state = Naming(kUpdatedState, made.name()).name();
    }
  }

  // Whether lengths matter only as far as some are equal: compressors make messages of whatever
  // there is. Constants of equal lengths would be equal, too, whatever they were cut into.
  void look_at_lengths() {
    lengths_.clear();
    scalable_ = true;
    for (std::size_t i = of_.first_items_[part_]; i < of_.first_items_[part_ + 1]; ++i) {
      const Operation& operation = operation_of(plan_, of_.items_[i].operation);
      if (reaches_[operation.id] == Reach::kAll)
        scalable_ = scalable_ && has_whole_messages(operation);
      else if (operation.kind == OperationKind::kFill)
        scalable_ = false;
      if (!scalable_) return;
    }
  }

  // Each part of a message is one stretch.
  bool has_whole_messages(const Operation& operation) const {
    if (!is_compression(operation.kind)) return false;
    const bool packs =
        operation.kind == OperationKind::kTopK || operation.kind == OperationKind::kQuantise;
    const std::uint64_t messages =
        packs ? 1 : operation.sizes[operation.kind == OperationKind::kScatter ? 0 : 2];
    const std::size_t first =
        of_.lives_.first_span(operation.id) + (packs ? operation.reads.size() : 0);
    for (std::size_t span = first; span < first + 2; ++span) {
      if (stretches_.count(span) != messages) return false;
      for (std::uint32_t i = 1; i < messages; ++i)
        if (stretches_.length(stretches_.first(span) + i) !=
            stretches_.length(stretches_.first(span)))
          return false;
    }
    return true;
  }

  std::uint64_t length(std::uint32_t stretch) {
    const std::uint64_t elements = stretches_.length(stretch);
    return scalable_ ? lengths_.try_emplace(elements, lengths_.size()).first->second : elements;
  }

  // Every stretch of the writes depends on all that is read, and on how long it is.
  void mix(const Operation& operation, std::size_t reads, std::size_t writes) {
    Naming all(operation.kind, operation.flags, operation.max_lag, operation.reduction,
               std::bit_cast<std::uint64_t>(operation.scalar), operation.sizes[0],
               operation.sizes[1], operation.sizes[2], operation.sizes[3], operation.effect,
               operation.kernel, operation.reads.size());
    for (std::size_t i = 0; i < operation.reads.size(); ++i) {
      all.add(operation.reads[i].dtype);
      all.add(stretches_.count(reads + i));
      for (std::uint32_t k = 0; k < stretches_.count(reads + i); ++k) {
        all.add(length(stretches_.first(reads + i) + k));
        all.add(cell(reads + i, k).value);
      }
    }
    for (std::size_t i = 0; i < operation.writes.size(); ++i)
      for (std::uint32_t k = 0; k < stretches_.count(writes + i); ++k)
        cell(writes + i, k).value = Naming(kWritten, all.name(), i, operation.writes[i].dtype, k,
                                           length(stretches_.first(writes + i) + k))
                                        .name();
  }

  const PartFates& of_;
  const Plan& plan_;
  const Stretches& stretches_;
  std::vector<Reach> reaches_;              // by operation
  std::vector<std::size_t> arena_numbers_;  // by memory
  std::size_t arena_memories_ = 0;
  std::vector<Group> groups_;                                             // of passes over one span
  std::vector<std::uint64_t> computes_;                                   // by replica
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> pieces_;  // by operation
  std::vector<Cell> cells_;                                               // by stretch
  std::vector<std::uint32_t> numbers_;  // by stretch: its appearance in the part, from 1
  std::vector<std::pair<std::uint32_t, std::uint32_t>> master_numbers_;  // the part, and the same
  std::uint64_t epoch_ = 0;

  std::uint32_t part_ = 0;
  bool held_ = false;  // what memory begins with has names of its own
  std::uint32_t appeared_ = 0;
  std::uint32_t leader_ = 0;
  bool scalable_ = false;
  std::map<std::uint64_t, std::size_t> lengths_;    // by their appearance, where that is enough
  const std::uint32_t* local_stretches_ = nullptr;  // of the arena, ascending
  std::size_t locals_ = 0;
  std::vector<Cell> arena_cells_;
  std::vector<Progress> progress_;  // by replica and local stretch
  std::vector<Event> events_;
  std::vector<Touched> touched_;
  Name result_;
};

std::optional<std::vector<Fingerprint>> PartFates::find() {
  if (!find_passes()) return std::nullopt;
  sort_items();
  sort_stretches();
  Run run(*this);
  std::vector<Fingerprint> result;
  for (std::uint32_t part = 0; part < stretches_.parts(); ++part) {
    const std::optional<Name> name = run.name(part);
    if (!name) return std::nullopt;
    result.push_back(*name);
  }
  return result;
}

// A pass is forwards, then backwards, of one replica over its own memory.
bool PartFates::find_passes() {
  struct Replica {
    std::uint64_t computes = 0;
    bool backward = true;
  };
  std::vector<Replica> replicas(plan_.cluster->replicas());
  const auto owns = [&](const Operation& it, const PlanSpan& span, std::uint32_t kind) {
    const PlanBuffer& buffer = plan_.buffers[span.buffer];
    return buffer.kind == kind && buffer.owner == it.replica;
  };
  for (const Operation& it : plan_.prologue)
    if (is_compute(it.kind)) return false;
  for (const Operation& it : plan_.body) {
    if (!is_compute(it.kind)) continue;
    Replica& replica = replicas.at(it.replica);
    if (!owns(it, it.reads.front(), CONVOY_BUFFER_PARAMETERS)) return false;
    const bool backward = it.kind == OperationKind::kBackward;
    if (backward) {
      const PlanSpan& written = it.writes.front();
      if (!owns(it, written, CONVOY_BUFFER_GRADIENT) || replica.computes == 0 ||
          written.first != it.reads.front().first || written.count != it.reads.front().count)
        return false;
    } else if ((it.first_layer == 0) != replica.backward) {
      return false;
    } else if (it.first_layer == 0) {
      ++replica.computes;
    }
    replica.backward = backward;
    const std::uint64_t compute = replica.computes - 1;
    const Naming how(compute, it.flags, it.max_lag, it.phase,
                     plan_.buffers[it.reads.front().buffer].set);
    passes_.push_back({it.id, compute, how.name()});
  }
  return true;
}

void PartFates::sort_items() {
  first_items_.assign(stretches_.parts() + 1, 0);
  const auto for_each = [&](auto visit) {
    for (const auto* section : {&plan_.prologue, &plan_.body})
      for (const Operation& operation : *section) {
        const Reach reach = reach_of(operation);
        if (reach == Reach::kNothing || is_compute(operation.kind)) continue;
        std::size_t base = lives_.first_span(operation.id);
        if (reach == Reach::kGathers || operation.reads.empty()) base += operation.reads.size();
        const std::uint32_t count = reach == Reach::kAll ? 1 : stretches_.count(base);
        for (std::uint32_t i = 0; i < count; ++i)
          visit(stretches_.part(stretches_.first(base) + i), Item{operation.id, i});
      }
  };
  for_each([&](std::uint32_t part, const Item&) { ++first_items_[part + 1]; });
  for (std::size_t i = 1; i < first_items_.size(); ++i) first_items_[i] += first_items_[i - 1];
  items_.resize(first_items_.back());
  std::vector<std::size_t> at(first_items_.begin(), first_items_.end() - 1);
  for_each([&](std::uint32_t part, const Item& item) { items_[at[part]++] = item; });
}

void PartFates::sort_stretches() {
  first_stretches_.assign(stretches_.parts() + 1, 0);
  const std::uint32_t count = stretches_.of_arena();
  for (std::uint32_t i = 0; i < count; ++i) ++first_stretches_[stretches_.part(i) + 1];
  for (std::size_t i = 1; i < first_stretches_.size(); ++i)
    first_stretches_[i] += first_stretches_[i - 1];
  arena_stretches_.resize(count);
  std::vector<std::size_t> at(first_stretches_.begin(), first_stretches_.end() - 1);
  for (std::uint32_t i = 0; i < count; ++i) arena_stretches_[at[stretches_.part(i)]++] = i;
}

}  // namespace convoy::check
