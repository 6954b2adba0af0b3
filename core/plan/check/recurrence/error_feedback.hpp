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

  // Final weights in what is read: a row of those of gradients, those of errors and those of
  // states.
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
