// Stopping and going on in another session must change no bit of the training.
#include "core/runtime/state/training_state.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <convoy/strategy.hpp>
#include <cstring>
#include <utility>

#include "core/base/error.hpp"
#include "core/train/optimizer.hpp"
#include "tests/runtime/lagging_strategy.hpp"
#include "tests/runtime/plugins.hpp"
#include "tests/runtime/small_models.hpp"
#include "tests/runtime/staged_strategy.hpp"
#include "tests/runtime/training.hpp"
#include "tests/support/thrown_text.hpp"

namespace convoy::testing::training_state_test {
namespace {

using runtime::identity_of;
using runtime::Session;
using runtime::TrainingState;
using runtime::write_training_state;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::int64_t kBefore = 3;  // steps, then the session ends
constexpr std::int64_t kAfter = 4;

struct Variant {
  const char* strategy;
  plugin::OptionValues values = {};
  convoy_optimizer_kind optimizer = CONVOY_OPTIMIZER_MOMENTUM;
  std::uint32_t devices = 2;
};

void PrintTo(const Variant& variant, std::ostream* stream) {
  *stream << variant.strategy << " with " << train::optimizer_name(variant.optimizer) << " on "
          << variant.devices << " devices";
  for (const auto& [name, value] : variant.values) *stream << " --" << name << '=' << value;
}

// The largest difference in bits tells nothing: equal or not.
bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

// Updates the first half of the variables in every step and the second half in every other one.
class Unequal : public Strategy {
 public:
  void plan(Planner& p) override {
    const std::vector<Range> halves = split(p.arena(), 2);
    const auto update = [&](SetId set, Range half, std::uint64_t contributions) {
      for (const auto r : p.replicas())
        p.apply(p.parameters(r)[half], p.gradient(r, set)[half], {.contributions = contributions});
    };
    p.compute({.gradient_set = SetId(0)});
    update(SetId(0), halves[0], 1);
    p.compute({.gradient_set = SetId(1)});
    update(SetId(1), halves[0], 1);
    for (const auto r : p.replicas()) {
      const Span sum = p.gradient(r, SetId(1))[halves[1]];
      p.add(sum, p.gradient(r, SetId(0))[halves[1]], sum);
    }
    update(SetId(1), halves[1], 2);
  }
};

class Resuming : public ::testing::TestWithParam<Variant> {
 protected:
  struct Outcome {
    std::vector<double> losses;
    runtime::ModelValues values;
    TrainingState state;
  };

  std::unique_ptr<Session> start(const Variant& variant,
                                 graph::Graph graph = normalised_network()) {
    OptimizerOptions optimizer;
    optimizer.kind = variant.optimizer;
    optimizer.rmsprop_epsilon = 0.01;
    runtime::SessionOptions options;
    options.batch = 4;
    options.seed = 7;
    options.bucket_elements = 1000;
    options.optimizer = train::make_optimizer(optimizer, variant.devices);
    strategy_ = strategy_of(variant);
    return std::make_unique<Session>(std::move(graph), *strategy_,
                                     open_devices(*devices_, variant.devices), options);
  }

  std::unique_ptr<plugin::StrategyPlugin> strategy_of(const Variant& variant) {
    const std::string_view name = variant.strategy;
    if (name == "unequal") return built_in_strategy<Unequal>("unequal", 0);
    if (name == "staged") return staged_strategy(std::stoll(variant.values.at("first_step")));
    return strategy_plugin(host_, variant.strategy, variant.values);
  }

  // Trains steps first ... first + steps - 1 of a run.
  Outcome run(Session& session, std::int64_t first, std::int64_t steps) const {
    NumberSource source({session.cluster().replicas(), 4, 3 * 8 * 8, 7},
                        [](std::int64_t image) { return static_cast<float>(image % 17) / 10; });
    Outcome outcome;
    runtime::TrainingEvents events;
    events.timed_step = [&](const TrainingStep& step) {
      outcome.losses.push_back(step.total_loss);
    };
    runtime::run_training(session, source, constant_rate(0.05), {0, steps, first}, events);
    outcome.values = session.values().read_model();
    outcome.state = runtime::read_training_state(session);
    return outcome;
  }

  plugin::PluginHost host_;
  std::unique_ptr<plugin::DevicePlugin> devices_ = cpu_plugin(host_);
  std::unique_ptr<plugin::StrategyPlugin> strategy_;
};

TEST_P(Resuming, ContinuesBitForBit) {
  const Outcome whole = run(*start(GetParam()), 0, kBefore + kAfter);
  const Outcome first = run(*start(GetParam()), 0, kBefore);
  const std::unique_ptr<Session> session = start(GetParam());
  write_training_state(*session, first.state, kBefore);
  const Outcome second = run(*session, kBefore, kAfter);
  const std::vector<double> expected(whole.losses.begin() + kBefore, whole.losses.end());
  EXPECT_EQ(second.losses, expected);
  for (std::size_t i = 0; i < whole.values.variables.size(); ++i)
    EXPECT_TRUE(same_bits(second.values.variables[i], whole.values.variables[i]))
        << session->graph().variables()[i].name;
  EXPECT_TRUE(same_bits(second.values.state, whole.values.state));
  EXPECT_EQ(second.state.updates, whole.state.updates);
  ASSERT_EQ(second.state.parts.size(), whole.state.parts.size());
  for (std::size_t i = 0; i < whole.state.parts.size(); ++i)
    EXPECT_EQ(second.state.parts[i].bytes, whole.state.parts[i].bytes) << whole.state.parts[i].name;
}

TEST_P(Resuming, LossesAreThoseOfTraining) {
  // The test above would not notice a training that stands still.
  const Outcome whole = run(*start(GetParam()), 0, kBefore + kAfter);
  EXPECT_NE(whole.losses.front(), whole.losses.back());
}

plugin::OptionValues server(const char* place, const char* consistency, const char* staged) {
  return {{"local_parameter_device", place},
          {"variable_consistency", consistency},
          {"staged_vars", staged}};
}

const Variant kVariants[] = {
    {"replicated", {}, CONVOY_OPTIMIZER_SGD, 1},
    {"replicated", {}, CONVOY_OPTIMIZER_MOMENTUM, 2},
    {"replicated", {}, CONVOY_OPTIMIZER_RMSPROP, 2},
    {"replicated", {}, CONVOY_OPTIMIZER_ADAM, 2},
    {"replicated", {{"variable_consistency", "relaxed"}}},
    {"replicated", {{"all_reduce_spec", "xring"}, {"variable_consistency", "relaxed"}}},
    {"replicated", {{"local_parameter_device", "cpu"}}, CONVOY_OPTIMIZER_RMSPROP},
    {"replicated", {{"gradient_repacking", "3"}, {"variable_consistency", "relaxed"}}},
    {"parameter_server", server("cpu", "strong", "false"), CONVOY_OPTIMIZER_ADAM},
    {"parameter_server", server("gpu", "strong", "false"), CONVOY_OPTIMIZER_RMSPROP},
    {"parameter_server", server("cpu", "relaxed", "false")},
    {"parameter_server", server("gpu", "relaxed", "false"), CONVOY_OPTIMIZER_ADAM},
    {"parameter_server", server("cpu", "strong", "true")},
    {"parameter_server", server("gpu", "relaxed", "true"), CONVOY_OPTIMIZER_RMSPROP},
    {"independent", {}, CONVOY_OPTIMIZER_MOMENTUM},
    {"independent", {}, CONVOY_OPTIMIZER_ADAM},
    // With stages: the state is that of before, on and behind the step with which the plan changes.
    {"staged", {{"first_step", "5"}}},
    {"staged", {{"first_step", "3"}}, CONVOY_OPTIMIZER_ADAM},
    {"staged", {{"first_step", "2"}}},
    {"unequal", {}, CONVOY_OPTIMIZER_ADAM},
};

INSTANTIATE_TEST_SUITE_P(Variants, Resuming, ::testing::ValuesIn(kVariants));

class State : public Resuming {};

TEST_F(State, OfASynchronousStrategyIsItsValues) {
  const Outcome outcome = run(*start({"parameter_server", {}, CONVOY_OPTIMIZER_ADAM, 1}), 0, 2);
  EXPECT_THAT(outcome.state.parts, IsEmpty());
  EXPECT_EQ(outcome.state.optimizer.size(), 2u);
}

TEST_F(State, OfIndependentReplicasHoldsEveryOther) {
  const Outcome outcome = run(*start({"independent"}), 0, 2);
  std::vector<std::string> names;
  for (const runtime::StatePart& part : outcome.state.parts) names.push_back(part.name);
  EXPECT_THAT(names,
              ::testing::ElementsAre("parameters(1)", "parameters(1)/momentum", "statistics(1)"));
}

TEST_F(State, GoesToAnotherStrategyAndDeviceCount) {
  const Outcome first = run(*start({"replicated", {}, CONVOY_OPTIMIZER_ADAM, 2}), 0, 3);
  TrainingState state = first.state;
  state.complete = false;
  state.parts.clear();
  for (const Variant& other :
       {Variant{"parameter_server", {}, CONVOY_OPTIMIZER_ADAM, 1},
        Variant{"parameter_server", server("gpu", "relaxed", "true"), CONVOY_OPTIMIZER_ADAM, 4},
        Variant{"independent", {}, CONVOY_OPTIMIZER_ADAM, 3}}) {
    const std::unique_ptr<Session> session = start(other);
    write_training_state(*session, state, 3);
    const TrainingState again = runtime::read_training_state(*session);
    for (std::size_t i = 0; i < state.values.variables.size(); ++i)
      EXPECT_TRUE(same_bits(again.values.variables[i], state.values.variables[i]))
          << other.strategy;
    EXPECT_EQ(again.optimizer, state.optimizer) << other.strategy;
    EXPECT_EQ(again.values.state, state.values.state) << other.strategy;
    for (const double loss : run(*session, 3, 2).losses) EXPECT_GT(loss, 0) << other.strategy;
  }
}

// What another optimizer left are the variables alone: Adam's moments then begin as in a new run.
// Without dropout, which depends on the number of the step.
TEST_F(State, MomentsThatStartAnewHaveHadNoUpdates) {
  TrainingState state = run(*start({"replicated"}, small_network()), 0, kBefore).state;
  EXPECT_EQ(state.updates, static_cast<std::uint64_t>(kBefore));
  state.complete = false;
  state.parts.clear();
  state.optimizer.clear();
  state.updates = 0;
  const auto trained_from = [&](std::int64_t first_step) {
    const std::unique_ptr<Session> session =
        start({"replicated", {}, CONVOY_OPTIMIZER_ADAM}, small_network());
    write_training_state(*session, state, first_step);
    return run(*session, kBefore, kAfter);
  };
  const Outcome resumed = trained_from(kBefore);
  const Outcome fresh = trained_from(0);
  EXPECT_EQ(resumed.losses, fresh.losses);
  for (std::size_t i = 0; i < fresh.values.variables.size(); ++i)
    EXPECT_TRUE(same_bits(resumed.values.variables[i], fresh.values.variables[i]));
  EXPECT_EQ(resumed.state.updates, static_cast<std::uint64_t>(kAfter));
}

TEST_F(State, PartsOfAnotherPlanAreRefusedByName) {
  const std::unique_ptr<Session> session = start({"replicated"});
  TrainingState state = runtime::read_training_state(*session);
  state.parts.push_back({"gradient(0, set 9)", CONVOY_F32, {}});
  EXPECT_THAT(thrown_text([&] { write_training_state(*session, state, 1); }),
              HasSubstr("gradient(0, set 9)"));
  state.parts.back() = {"parameters(0)", CONVOY_F32, std::vector<std::byte>(4)};
  EXPECT_THROW(write_training_state(*session, state, 1), Error);
}

TEST_F(State, IdentityTellsPlansAndBatchesApart) {
  const runtime::StateIdentity one = identity_of(*start({"replicated"}));
  EXPECT_EQ(one, identity_of(*start({"replicated"})));
  EXPECT_NE(one, identity_of(*start({"replicated", {{"variable_consistency", "relaxed"}}})));
  EXPECT_NE(one, identity_of(*start({"replicated", {}, CONVOY_OPTIMIZER_MOMENTUM, 3})));
}

}  // namespace
}  // namespace convoy::testing::training_state_test
