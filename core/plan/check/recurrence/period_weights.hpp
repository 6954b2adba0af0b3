#pragma once

#include <map>
#include <optional>
#include <vector>

#include "core/plan/check/dataflow/error_sources.hpp"
#include "core/plan/check/recurrence/field_matrix.hpp"

namespace convoy::plan::check {

// The final weights of the gradients and errors of one linear system, in what a replica reads.
class PeriodWeights : public FinalWeights {
 public:
  PeriodWeights(const LinearSystem& system, const std::vector<GradientKey>& gradients,
                const ValueTable& values);

  // Selects one read. Its weights of gradients are a row of `gradients`; those of errors and of
  // states are the only rows of `errors` and `states`.
  void set(const FieldMatrix& gradients, std::size_t row, const FieldMatrix& errors,
           const FieldMatrix& states);

  std::uint64_t of_gradient(const GradientKey& gradient) const override;
  std::uint64_t of_error(AtomId error) const override;
  std::optional<Weight> of_result(AtomId error) const override;
  // For memory that starts without parameters, adds what the previous period has left there.
  bool add_held(const Term& held, SourceParts& parts) const override;

 private:
  using Gains = std::optional<std::vector<Weight>>;  // per state; none: not known
  Gains gains_of_states(AtomId error, std::size_t column) const;
  Gains gains_of_coordinates(AtomId error, std::size_t column) const;
  const Gains& known_gains(AtomId error, std::size_t column) const;
  static bool holds(const LinearRow& errors, std::size_t column);
  std::optional<std::uint32_t> state_of(std::uint32_t buffer) const;

  const LinearSystem& system_;
  const std::vector<GradientKey>& keys_;
  const ValueTable& values_;
  std::map<GradientKey, std::size_t> gradient_columns_;
  std::map<AtomId, std::size_t> error_columns_;
  mutable std::map<AtomId, Gains> gains_;  // gains of coordinates, which all reads have in common
  const FieldMatrix* gradients_ = nullptr;
  const FieldMatrix* errors_ = nullptr;
  const FieldMatrix* states_ = nullptr;
  std::size_t row_ = 0;
};

}  // namespace convoy::plan::check
