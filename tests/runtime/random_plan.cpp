#include "tests/runtime/random_plan.hpp"

#include <algorithm>
#include <cmath>
#include <random>

namespace convoy::testing {
namespace {

float quantized(float value) {
  const float clamped = value > 1.0f ? 1.0f : value < -1.0f ? -1.0f : value;
  return std::nearbyint(clamped * 64.0f) / 64.0f + 0.0f;  // no negative zero
}

std::int32_t quantize(const convoy_region*, std::uint64_t, const convoy_region* writes,
                      std::uint64_t write_count) {
  for (std::uint64_t w = 0; w < write_count; ++w) {
    auto* values = static_cast<float*>(writes[w].data);
    std::transform(values, values + writes[w].count, values, quantized);
  }
  return 0;
}

// Writes may be reads: nothing is written before everything was read.
std::int32_t mix(const convoy_region* reads, std::uint64_t read_count, const convoy_region* writes,
                 std::uint64_t write_count) {
  std::vector<float> result(writes[0].count, 0.0f);
  for (std::uint64_t r = 0; r < read_count; ++r) {
    const auto* values = static_cast<const float*>(reads[r].data);
    const auto weight = static_cast<float>(r + 1);
    for (std::size_t i = 0; i < result.size(); ++i)
      result[i] = quantized(result[i] * 0.5f + values[i] * weight * 0.375f);
  }
  for (std::uint64_t w = 0; w < write_count; ++w)
    std::copy(result.begin(), result.end(), static_cast<float*>(writes[w].data));
  return 0;
}

// A buffer that random operations choose, and what of it may be read.
struct Choice {
  Buffer buffer{};
  PlaceId place{};
  bool updatable = false;     // parameters or master
  std::vector<bool> defined;  // per element
};

class RandomWriter {
 public:
  RandomWriter(Planner& planner, std::uint64_t seed) : p_(planner), random_(seed) {}

  void write() {
    declare();
    p_.prologue([&] {
      for (const Buffer& gradient : gradients_) p_.fill(gradient, 0.25);
    });
    const std::size_t computes = 1 + below(3);
    for (std::size_t c = 0; c <= computes; ++c) {
      const std::size_t operations = 4 + below(12);
      for (std::size_t i = 0; i < operations; ++i) random_operation();
      if (c == computes) return;
      const auto set = [&] { return SetId(static_cast<std::uint32_t>(below(2))); };
      p_.compute({.parameters_set = set(), .gradient_set = set()});
    }
  }

 private:
  std::uint64_t below(std::uint64_t bound) { return random_() % bound; }
  double scalar() { return static_cast<double>(below(33)) / 32.0 - 0.5; }

  void add(Buffer buffer, PlaceId place, bool updatable, bool defined) {
    pool_.push_back({buffer, place, updatable, std::vector<bool>(buffer.count, defined)});
  }

  void declare() {
    for (const auto r : p_.replicas())
      for (const SetId set : {SetId(0), SetId(1)}) {
        add(p_.parameters(r, set), p_.replica_place(r), true, true);
        gradients_.push_back(p_.gradient(r, set));
        add(gradients_.back(), p_.replica_place(r), false, true);
      }
    for (const auto place : p_.places()) {
      add(p_.master(place), place, true, true);
      add(p_.persistent(place, p_.arena_elements()), place, false, true);
      add(p_.scratch(place, p_.arena_elements()), place, false, false);
    }
  }

  Range random_range() {
    const std::uint64_t count = 1 + below(below(2) == 0 ? 8 : p_.arena_elements());
    return {below(p_.arena_elements() - count + 1), count};
  }

  bool is_defined(const Choice& choice, Range range) const {
    const auto first = choice.defined.begin() + static_cast<std::ptrdiff_t>(range.first);
    return std::all_of(first, first + static_cast<std::ptrdiff_t>(range.count),
                       [](bool defined) { return defined; });
  }

  void define(Choice& choice, Range range) {
    std::fill_n(choice.defined.begin() + static_cast<std::ptrdiff_t>(range.first), range.count,
                true);
  }

  Choice& any() { return pool_[below(pool_.size())]; }

  // A span of this many elements that may be read beside a write: same range, or another buffer.
  Span read_for(const Choice& write, Range range) {
    for (;;) {
      const Choice& choice = any();
      Range from = range;
      if (choice.buffer.id != write.buffer.id && below(3) == 0)
        from.first = below(p_.arena_elements() - range.count + 1);
      if (is_defined(choice, from)) return choice.buffer[from];
    }
  }

  std::vector<Span> reads_for(const Choice& write, Range range, std::size_t count) {
    std::vector<Span> reads;
    for (std::size_t i = 0; i < count; ++i) reads.push_back(read_for(write, range));
    return reads;
  }

  void random_operation() {
    switch (below(10)) {
      case 0:
        return all_reduce();
      case 1:
        return other_collective();
      case 2:
      case 3:
        return apply();
      case 4:
        return mix_at_one_place();
      case 5:
        return through_half();
      default:
        return elementwise();
    }
  }

  void elementwise() {
    constexpr std::uint32_t kKinds[] = {CONVOY_OP_COPY,     CONVOY_OP_FILL,  CONVOY_OP_ADD,
                                        CONVOY_OP_SUM,      CONVOY_OP_SCALE, CONVOY_OP_AXPY,
                                        CONVOY_OP_MULTIPLY, CONVOY_OP_DIVIDE};
    auto operation = make_sized<convoy_operation>();
    operation.kind = kKinds[below(std::size(kKinds))];
    // Copies run where one end is; everything else may run anywhere, with staging.
    operation.place = CONVOY_NONE;
    if (operation.kind != CONVOY_OP_COPY && below(3) == 0)
      operation.place = static_cast<std::uint32_t>(below(p_.place_count()));
    const double factor = scalar();
    const auto reduction = static_cast<std::uint32_t>(below(3));
    constexpr std::uint32_t kScaled[] = {CONVOY_OP_FILL, CONVOY_OP_SCALE, CONVOY_OP_AXPY,
                                         CONVOY_OP_DIVIDE};
    if (std::ranges::find(kScaled, operation.kind) != std::end(kScaled)) operation.scalar = factor;
    if (operation.kind == CONVOY_OP_SUM) operation.reduction = reduction;
    Choice& write = any();
    const Range range = random_range();
    std::size_t reads = 1;
    if (operation.kind == CONVOY_OP_FILL) reads = 0;
    if (operation.kind == CONVOY_OP_ADD || operation.kind == CONVOY_OP_AXPY) reads = 2;
    if (operation.kind == CONVOY_OP_SUM) reads = 1 + below(5);
    std::vector<Span> spans = reads_for(write, range, reads);
    const bool has_factor =
        operation.kind == CONVOY_OP_MULTIPLY || operation.kind == CONVOY_OP_DIVIDE;
    if (has_factor) spans.push_back(factor_for(write, range));
    p_.emit(operation, spans, {write.buffer[range]});
    define(write, range);
    if (spans.size() > 1) bound(write, range);
  }

  // As many elements, or one of another buffer for all.
  Span factor_for(const Choice& write, Range range) {
    if (below(2) == 0) return read_for(write, range);
    for (;;) {
      const Choice& choice = any();
      const Range one{below(p_.arena_elements()), 1};
      if (choice.buffer.id != write.buffer.id && is_defined(choice, one)) return choice.buffer[one];
    }
  }

  void bound(const Choice& choice, Range range) {
    p_.call("quantize", choice.place, {choice.buffer[range]}, {choice.buffer[range]});
  }

  void apply() {
    Choice* target = &any();
    while (!target->updatable) target = &any();
    const Range range = random_range();
    p_.apply(target->buffer[range], read_for(*target, range), {.contributions = below(4)});
    if (below(2) == 0) bound(*target, range);
  }

  void mix_at_one_place() {
    Choice& write = any();
    const Range range = random_range();
    std::vector<Span> reads;
    for (const Choice& choice : pool_)
      if (choice.place == write.place && is_defined(choice, range) && below(2) == 0)
        reads.push_back(choice.buffer[range]);
    p_.call("mix", write.place,
            reads.empty() ? std::vector<Span>{gradient_at(write, range)} : reads,
            {write.buffer[range]});
    define(write, range);
  }

  Span gradient_at(const Choice& write, Range range) {
    for (const Choice& choice : pool_)
      if (choice.place == write.place && is_defined(choice, range)) return choice.buffer[range];
    return write.buffer[range];
  }

  void through_half() {
    Choice& write = any();
    const Range range = random_range();
    const Span read = read_for(write, range);
    const Dtype dtype = below(2) == 0 ? Dtype::kBf16 : Dtype::kF16;
    const Buffer half = p_.scratch(write.place, range.count, dtype);
    p_.cast(half, read);
    p_.cast(write.buffer[range], half);
    define(write, range);
  }

  // One buffer of every replica's place, of one kind, defined in the range.
  std::vector<Choice*> group(Range range, bool defined) {
    std::vector<Choice*> result;
    for (const auto r : p_.replicas()) {
      std::vector<Choice*> candidates;
      for (Choice& choice : pool_)
        if (choice.place == p_.replica_place(r) && (!defined || is_defined(choice, range)))
          candidates.push_back(&choice);
      result.push_back(candidates[below(candidates.size())]);
    }
    return result;
  }

  std::vector<Span> spans(const std::vector<Choice*>& choices, Range range) {
    std::vector<Span> result;
    result.reserve(choices.size());
    for (const Choice* choice : choices) result.push_back(choice->buffer[range]);
    return result;
  }

  CollectiveOptions collective() {
    return {.algorithm = static_cast<Algorithm>(below(CONVOY_ALGORITHM_TWO_LEVEL + 1)),
            .reduction = static_cast<Reduction>(below(3))};
  }

  void all_reduce() {
    const Range range = random_range();
    const CollectiveOptions options = collective();
    const std::vector<Choice*> members = group(range, true);
    // Then no order of reducing matters: sums are exact, and minimum and maximum see one zero.
    for (const Choice* member : members) bound(*member, range);
    p_.all_reduce(spans(members, range), options);
    for (const Choice* member : members) bound(*member, range);
  }

  void other_collective() {
    const Range range = random_range();
    const CollectiveOptions options = collective();
    const std::vector<Choice*> members = group(range, true);
    const std::vector<Choice*> others = group(range, false);
    for (const Choice* member : members)
      if (std::find(others.begin(), others.end(), member) != others.end()) return;
    const std::vector<Range> pieces = split(range, p_.replica_count());
    std::vector<Span> part_spans;
    const bool scatter = below(2) == 0;
    for (std::size_t i = 0; i < pieces.size(); ++i)
      part_spans.push_back((scatter ? others : members)[i]->buffer[pieces[i]]);
    if (scatter) {
      p_.reduce_scatter(part_spans, spans(members, range), options);
      for (std::size_t i = 0; i < pieces.size(); ++i) {
        define(*others[i], pieces[i]);
        bound(*others[i], pieces[i]);
      }
      return;
    }
    if (below(2) == 0) {
      p_.all_gather(spans(others, range), part_spans, options);
    } else {
      p_.broadcast(spans(others, range), members.front()->buffer[range], options);
    }
    for (Choice* other : others) define(*other, range);
    p_.reduce(others.front()->buffer[range], spans(members, range), options);
    bound(*others.front(), range);
  }

  Planner& p_;
  std::mt19937_64 random_;
  std::vector<Choice> pool_;
  std::vector<Buffer> gradients_;
};

}  // namespace

WritePlan write_random(std::uint64_t seed) {
  return [seed](Planner& planner) { RandomWriter(planner, seed).write(); };
}

convoy_host_kernel random_plan_kernel(const std::string& name) {
  if (name == "mix") return mix;
  return name == "quantize" ? quantize : nullptr;
}

plan::Plan without_layers(plan::Plan plan) {
  std::erase_if(plan.body, [](const plan::Operation& operation) {
    return operation.kind == plan::OperationKind::kForward;
  });
  for (plan::Operation& operation : plan.body)
    if (operation.kind == plan::OperationKind::kBackward) {
      operation.kind = plan::OperationKind::kCall;
      operation.details.edit().kernel = "mix";
    }
  return plan;
}

}  // namespace convoy::testing
