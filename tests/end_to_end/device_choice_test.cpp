// --device names any installed plug-in, or its file: here the one of `convoy new device`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/end_to_end/reference_run.hpp"
#include "tests/end_to_end/run_program.hpp"

namespace convoy {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::string kFolder = CONVOY_BINARY_DIR "/tests/plugins";
const std::string kPath = "--plugin_path=" + kFolder + "/plain_device.so";

TEST(DeviceChoice, ADeviceOfOthersTrainsToTheGoldenLosses) {
  expect_golden_losses(
      {"--device=" + kFolder + "/plain_device.so", "--num_devices=1", "--batch_size=2",
       "--init_learning_rate=1e-3", "--optimizer=sgd", "--weight_decay=0"},
      golden_lenet().at("sgd").at("loss"));
}

TEST(DeviceChoice, TwoDevicesOfOthersShareGradientsByEveryStrategy) {
  for (const char* strategy : {"replicated", "parameter_server"})
    expect_golden_losses({"--device=plain_device", kPath, "--num_devices=2", "--batch_size=1",
                          "--optimizer=momentum", "--init_learning_rate=5e-4",
                          "--weight_decay=4e-5", std::string("--variable_update=") + strategy},
                         golden_lenet().at("momentum").at("total_loss"));
}

TEST(DeviceChoice, AutoPassesOverADeviceThatDoesNotPreferItself) {
  const ProgramResult result = run_convoy({"run", kPath, "--model=lenet", "--batch_size=2",
                                           "--num_batches=1", "--num_warmup_batches=0"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, Not(HasSubstr("plain_device")));
}

TEST(DeviceChoice, AnUnknownNameIsToldTheNearestAndWhatIsInstalled) {
  const ProgramResult result = run_convoy({"run", kPath, "--model=lenet", "--device=plane_device"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.err, HasSubstr("no device is named 'plane_device'; did you mean "
                                    "plain_device? (installed: cpu, "));
}

TEST(DeviceChoice, WhatADeviceCannotDoIsRefusedInItsWords) {
  const ProgramResult result =
      run_convoy({"run", kPath, "--model=lenet", "--device=plain_device", "--use_fp16"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.err, HasSubstr("plain_device:0 (plain loops on one thread) has no 16-bit"));
}

TEST(DeviceChoice, OtherVerbsTakeTheSameNames) {
  const ProgramResult simulated =
      run_convoy({"simulate", kPath, "--model=lenet", "--device=plain_device", "--num_devices=2",
                  "--variable_update=replicated"});
  EXPECT_EQ(simulated.exit_code, 0) << simulated.err;
  const ProgramResult unknown =
      run_convoy({"simulate", "--model=lenet", "--device=plane", "--variable_update=replicated"});
  EXPECT_EQ(unknown.exit_code, 3);
  EXPECT_THAT(unknown.err, HasSubstr("no device is named 'plane'"));
  const ProgramResult info = run_convoy({"info", "plain_device", kPath});
  EXPECT_THAT(info.out, HasSubstr("Plain loops on one thread"));
  EXPECT_THAT(info.out, HasSubstr("computes   on the host's processors\n"
                                  "auto       never takes it: name it with --device\n"));
  EXPECT_THAT(run_convoy({"info", "cpu"}).out, HasSubstr("takes it by its preference of 100"));
  const ProgramResult list = run_convoy({"list", kPath});
  EXPECT_THAT(list.out, HasSubstr("plain_device.so"));
}

TEST(CheckDevice, SaysOfEveryCaseWhatBecameOfIt) {
  const ProgramResult result =
      run_convoy({"check", kFolder + "/plain_device.so", "--only=operations"});
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  for (const char* part :
       {"plain_device: plain_device:0, plain loops on one thread\n",
        "operations: copy of i32: right\n",
        "operations: cast of f32 to bf16: unsupported (this device computes with f32 only)\n",
        " 0 wrong, "})
    EXPECT_THAT(result.out, HasSubstr(part));
}

TEST(CheckDevice, EndsWithOneWhenSomethingIsWrong) {
  const ProgramResult result =
      run_convoy({"check", "faulty_device", "--plugin_path=" + kFolder + "/faulty_device.so",
                  "--fault=adam", "--only=apply: adam"});
  EXPECT_EQ(result.exit_code, 1) << result.err;
  EXPECT_THAT(result.out,
              HasSubstr("updates: apply: adam: wrong\n       the parameter after step 2[17]"));
  EXPECT_THAT(result.out, HasSubstr("faulty_device: 0 right, 5 wrong, 1 unsupported\n"));
}

TEST(CheckDevice, RefusesWhatItCannotCheck) {
  const auto expect = [](const std::vector<std::string>& arguments, int code,
                         const std::string& text) {
    const ProgramResult result = run_convoy(arguments);
    EXPECT_EQ(result.exit_code, code);
    EXPECT_THAT(result.err, HasSubstr(text));
  };
  expect({"check", "cpu", "--only=nothing like this"}, 2, "--only=nothing like this: no case");
  expect({"check", "lenet"}, 2, "'lenet' is a model");
  expect({"check", "cpuu"}, 3, "no plug-in is named 'cpuu'; did you mean cpu?");
  expect({"check", "cpu", "--onyl=layers"}, 2, "--only");
}

}  // namespace
}  // namespace convoy
