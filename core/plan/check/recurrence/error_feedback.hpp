#pragma once

#include "core/plan/check/recurrence/period_weights.hpp"
#include "core/plan/check/recurrence/system_proof.hpp"

namespace convoy::plan::check {

// Judges the errors of casts and compressors in what replicas read in the end. An error that
// nothing adds back is lost. With error feedback it is added back, and its final weight is 0.
class ErrorFeedbackJudge : public SystemProof {
 public:
  explicit ErrorFeedbackJudge(const SystemProof& proof)
      : SystemProof(proof), weights_(system_, gradients_, values_), sources_(values_) {}

  // Judges one read. The matrices have the final weights of gradients, errors and states in it;
  // `row` is its row of `gradients`.
  void judge(const PeriodRead& read, const FieldMatrix& gradients, std::size_t row,
             const FieldMatrix& errors, const FieldMatrix& states);

 private:
  void judge_factor(const PeriodRead& read, AtomId product, bool stays);
  void require_whole_parameters(const PeriodRead& read, AtomId error);
  bool holds_parameters(ValueId value) const;
  void report_kept_out(const PeriodRead& read, AtomId error);
  void require_equal_centring(const PeriodRead& read, const FieldMatrix& errors);

  PeriodWeights weights_;
  ErrorSources sources_;
};

}  // namespace convoy::plan::check
