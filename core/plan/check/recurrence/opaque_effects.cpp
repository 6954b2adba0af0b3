#include "core/plan/check/recurrence/opaque_effects.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "core/plan/check/findings.hpp"
#include "core/plan/check/recurrence/field_matrix.hpp"

namespace convoy::plan::check {
namespace {

// Returns rows w with w A = w and w D = 0.
FieldMatrix conserved_whatever_kernels_do(const LinearSystem& it) {
  const std::size_t n = it.states.size();
  const std::size_t kernels = it.opaque_atoms.size();
  const FieldMatrix step = to_matrix(it.step, n);
  const FieldMatrix opaque = to_matrix(it.opaque, kernels);
  FieldMatrix both(n, n + kernels);
  for (std::size_t r = 0; r < n; ++r) {
    for (std::size_t c = 0; c < n; ++c) both.at(r, c) = step.at(r, c);
    both.at(r, r) = field_subtract(both.at(r, r), 1);
    for (std::size_t c = 0; c < kernels; ++c) both.at(r, n + c) = opaque.at(r, c);
  }
  return null_space(transpose(both));
}

}  // namespace

std::string makers_of(const Plan& plan, const ValueTable& values,
                      const std::vector<AtomId>& atoms) {
  std::set<std::string> result;
  for (const AtomId id : atoms) {
    const Atom& atom = values.atom(id);
    const Operation& operation = operation_of(plan, atom.operation);
    const std::string name = operation.details->kernel.empty()
                                 ? std::string(operation_name(operation.kind))
                                 : operation.details->kernel;
    result.insert(fmt::format("{} (operation {})", name, atom.operation));
  }
  return fmt::format("{}", fmt::join(result, ", "));
}

bool made_by_calls(const Plan& plan, const ValueTable& values, const std::vector<AtomId>& atoms) {
  return std::ranges::all_of(atoms, [&](AtomId id) {
    return operation_of(plan, values.atom(id).operation).kind == OperationKind::kCall;
  });
}

std::string unknown_effect(const Plan& plan, const ValueTable& values,
                           const std::vector<AtomId>& atoms) {
  const std::string makers = makers_of(plan, values, atoms);
  return made_by_calls(plan, values, atoms)
             ? fmt::format("kernel {} does not say what it does (CallOptions::effect)", makers)
             : fmt::format("only the run knows what {} gives", makers);
}

ConservedSums conserved_sums(const LinearSystem& it, std::size_t gradients,
                             std::uint64_t replicas) {
  const FieldMatrix conserved = conserved_whatever_kernels_do(it);
  const FieldMatrix held = multiply(conserved, to_matrix(it.gradients, gradients));
  ConservedSums result;
  for (std::size_t w = 0; w < conserved.rows(); ++w) {
    std::uint64_t start = 0;
    for (std::size_t i = 0; i < it.states.size(); ++i)
      start = field_add(start, field_multiply(conserved.at(w, i), it.start[i].field));
    for (std::size_t g = 0; g < gradients; ++g) {
      const std::uint64_t weight = counted(held.at(w, g), replicas);
      if (start != 0 && !result.total) result.total = field_divide(weight, start);
      result.alike =
          result.alike && weight == (start == 0 ? 0 : field_multiply(*result.total, start));
    }
  }
  return result;
}

}  // namespace convoy::plan::check
