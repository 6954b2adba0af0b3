#include "core/plan/check/fixed_point/sharpness_aware.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "core/plan/check/findings.hpp"

namespace convoy::plan::check {
namespace {

constexpr std::uint64_t kComputes = 2;  // per update

class SharpnessAwareJudge {
 public:
  SharpnessAwareJudge(const Plan& plan, SymbolicRun& run)
      : plan_(plan), run_(run), values_(run.values()), replicas_(plan.cluster->replicas()) {
    for (const ForwardRead& read : run.reads())
      reads_[{read.compute, read.replica}].push_back(&read);
  }

  bool judge() {
    const std::uint64_t computes = run_.computes(0);
    if (plan_.computes % kComputes != 0 || !each_reads_once(computes)) return false;
    SymbolicRun::Updated now{values_.leaf(run_.initial()), values_.leaf(run_.fresh_state())};
    for (std::uint64_t first = 0; first < computes; first += kComputes) {
      const ContentId all = run_.whole_arena(now.parameters);
      const std::vector<WeightedValue> uphill = gradients(first);
      const ValueId sum = values_.combine(uphill);
      for (std::uint32_t r = 0; r < replicas_; ++r)
        if (read(first, r).content != all ||
            !is_ascent(read(first + 1, r), now.parameters, uphill[r].value, sum))
          return false;
      now = run_.update({first + 1,
                         now.parameters,
                         values_.combine(gradients(first + 1)),
                         replicas_,
                         now.state,
                         {0, plan_.arena->elements}});
    }
    return computes > 0;
  }

 private:
  // Whether backward reads the same parameters as forward in every compute of every replica.
  bool each_reads_once(std::uint64_t computes) const {
    return reads_.size() == computes * replicas_ && std::ranges::all_of(reads_, [](const auto& it) {
             return it.second.size() == 1 && !it.second.front()->changed;
           });
  }

  const ForwardRead& read(std::uint64_t compute, std::uint32_t replica) const {
    return *reads_.at({compute, replica}).front();
  }

  // Returns the gradients of all replicas in this compute.
  std::vector<WeightedValue> gradients(std::uint64_t compute) {
    std::vector<WeightedValue> result;
    for (std::uint32_t r = 0; r < replicas_; ++r)
      result.push_back({run_.gradient(r, compute, read(compute, r).content), Weight{}, 0});
    return result;
  }

  bool is_ascent(const ForwardRead& read, ValueId from, ValueId own, ValueId sum) {
    return std::ranges::all_of(run_.contents().content(read.content), [&](const Piece& piece) {
      const std::optional<ValueId> ascent = ascent_from(from, piece.value);
      return ascent && (is_multiple(*ascent, own) || is_multiple(*ascent, sum));
    });
  }

  // Returns the ascent from these parameters: the input of the only product in the value, if the
  // rest of the value is the parameters and the product's factors are positive. Without a product,
  // the ascent is all that is added to the parameters.
  std::optional<ValueId> ascent_from(ValueId parameters, ValueId value) {
    if (values_.value(value).poison) return std::nullopt;
    std::optional<Term> product;
    for (const Term& term : values_.expand(value, Casts::kKept)) {
      if (values_.atom(term.atom).kind != AtomKind::kOpaque) continue;
      if (product) return std::nullopt;
      product = term;
    }
    if (!product) {
      const WeightedValue added[] = {{value, Weight{}, 0}, {parameters, -Weight{}, 0}};
      return values_.combine(added);
    }
    if (!(product->weight.value > 0)) return std::nullopt;
    const WeightedValue parts[] = {
        {value, Weight{}, 0}, {values_.leaf_of(product->atom), -product->weight, product->shift}};
    const Atom& atom = values_.atom(product->atom);
    if (values_.combine(parts) != parameters || !multiplies_by_positive(atom)) return std::nullopt;
    return values_.shifted(atom.inputs.front(), product->shift);
  }

  bool multiplies_by_positive(const Atom& product) const {
    if (product.factors.size() != 1 || !product.one_factor) return false;
    const Operation& by = operation_of(plan_, product.operation);
    return (by.kind == OperationKind::kMultiply || by.scalar == 0) &&
           is_positive(product.factors.front());
  }

  // Whether the number is a root, a positive constant divided by a root, or a sum of such numbers.
  bool is_positive(ValueId id) const {
    const Value& value = values_.value(id);
    if (value.poison || value.constant.value < 0) return false;
    const std::vector<Term> terms = values_.expand(id, Casts::kKept);
    if (terms.empty()) return value.constant.value > 0;
    return std::ranges::all_of(terms, [&](const Term& term) {
      const Atom& atom = values_.atom(term.atom);
      if (atom.kind != AtomKind::kOpaque || !(term.weight.value > 0)) return false;
      const Operation& by = operation_of(plan_, atom.operation);
      if (by.kind == OperationKind::kSquareRoot) return true;
      return !atom.factors.empty() && by.scalar >= 0 && is_positive(atom.inputs.front()) &&
             is_positive(atom.factors.front());
    });
  }

  // Whether the value is a positive multiple of the other one.
  bool is_multiple(ValueId value, ValueId of) {
    const std::vector<Term> terms = values_.expand(value, Casts::kKept);
    const std::vector<Term> wanted = values_.expand(of, Casts::kKept);
    if (terms.empty() || terms.size() != wanted.size() || !(terms.front().weight.value > 0))
      return false;
    return values_.scaled(of, terms.front().weight) == value;
  }

  const Plan& plan_;
  SymbolicRun& run_;
  ValueTable& values_;
  std::uint32_t replicas_;
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::vector<const ForwardRead*>> reads_;
};

}  // namespace

bool is_sharpness_aware(const Plan& plan, SymbolicRun& run) {
  return SharpnessAwareJudge(plan, run).judge();
}

}  // namespace convoy::plan::check
