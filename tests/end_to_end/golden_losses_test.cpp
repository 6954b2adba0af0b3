// The losses that the program records from the reference fill are the ones that an independent
// implementation computed.
#include <gtest/gtest.h>

#include "tests/end_to_end/reference_run.hpp"

namespace convoy {
namespace {

TEST(GoldenLosses, PlainStepsOnOneDevice) {
  expect_golden_losses({"--num_devices=1", "--batch_size=2", "--init_learning_rate=1e-3",
                        "--optimizer=sgd", "--weight_decay=0"},
                       golden_lenet().at("sgd").at("loss"));
}

TEST(GoldenLosses, MomentumWithWeightDecayOnTwoDevices) {
  for (const char* strategy : {"replicated", "parameter_server"})
    expect_golden_losses(
        {"--num_devices=2", "--batch_size=1", "--optimizer=momentum", "--init_learning_rate=5e-4",
         "--weight_decay=4e-5", std::string("--variable_update=") + strategy},
        golden_lenet().at("momentum").at("total_loss"));
}

}  // namespace
}  // namespace convoy
