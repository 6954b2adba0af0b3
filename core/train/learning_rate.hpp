#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace convoy {

// How a model wants its learning rate set when the user says nothing, as data. The rate of step s
// is `base_rate`, times batch / reference_batch, times the multiplier of the piece s lies in (or
// decay_factor once per decay period), ramped up linearly from zero over the warm-up.
// At most one of the pieces and the decay may be used.
struct LearningRateRule {
  double base_rate = 0.005;
  double reference_batch = 0;  // examples; 0: the rate does not depend on the batch
  // Divides by the number of replicas, but only where their gradients are summed. convoy takes the
  // mean in every strategy, so this acts with --gradient_scale=sum alone.
  bool divided_by_replicas_when_summed = false;
  std::vector<double> boundary_epochs = {};       // ascending
  std::vector<double> boundary_multipliers = {};  // one for each piece: boundary_epochs.size() + 1
  double decay_epochs = 0;                        // staircase; 0: none
  double decay_factor = 0;
  double warmup_epochs = 0;
  // Whether an epoch counts floor(examples / batch) steps rather than the exact quotient; decay
  // periods are always rounded down as a whole.
  bool whole_steps_per_epoch = false;
};

// The learning-rate flags as given by the user; empty means not given.
struct LearningRateOptions {
  std::optional<double> init_learning_rate = {};
  std::optional<std::string> piecewise_schedule = {};  // "LR0;E1;LR1;E2;LR2": whole epochs
  std::optional<double> num_epochs_per_decay = {};
  std::optional<double> decay_factor = {};
  std::optional<double> minimum = {};
  std::optional<double> warmup_epochs = {};
  std::optional<double> resnet_base_rate =
      {};  // replaces base_rate of a rule with a reference batch
};

// Fails with kUsage when flags contradict each other or the schedule cannot be read.
void validate(const LearningRateOptions& options);

// What the schedule has to know about the run.
struct LearningRateContext {
  double batch = 1;               // examples of one step over all replicas
  double examples_per_epoch = 1;  // of the training split
  int replicas = 1;
  bool gradients_are_summed = false;  // --gradient_scale=sum
};

// The learning rate of every step of a run; steps count from 0 and include warm-up steps. A given
// schedule or initial rate wins over the model's rule. Immutable, so any thread may ask.
class LearningRateSchedule {
 public:
  LearningRateSchedule(const LearningRateOptions& options, const LearningRateRule& rule,
                       const LearningRateContext& context);

  double at(std::int64_t step) const;

 private:
  struct Piece {
    std::int64_t last_step;  // the last one at the rate of this piece
    double rate;
  };
  void follow_pieces(const std::string& text, double steps_per_epoch);
  void follow_rule(const LearningRateOptions& options, const LearningRateRule& rule,
                   const LearningRateContext& context);
  void decay(double epochs, double factor, double steps_per_epoch);

  std::vector<Piece> pieces_;  // all but the last
  double last_rate_ = 0;
  std::int64_t decay_steps_ = 0;  // 0: no decay
  double decay_factor_ = 1;
  double minimum_ = 0;
  std::int64_t warmup_steps_ = 0;
  double warmup_rate_ = 0;  // what the ramp climbs to
};

}  // namespace convoy
