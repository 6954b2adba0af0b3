#include "core/runtime/supported.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.hpp"
#include "core/plan/lower/lower.hpp"
#include "tests/devices/fake/fake_device.hpp"
#include "tests/plan/sample_plans.hpp"

namespace convoy::testing {
namespace {

// Two fake devices, which have no matmul.
class Supported : public ::testing::Test {
 protected:
  Supported() : arena_(small_arena(32)), cluster_(plan::make_single_host(2, false, "fake")) {
    const convoy_device_request request{sizeof(request), 2, 1};
    for (std::uint32_t i = 0; i < 2; ++i)
      devices_.push_back(std::make_unique<plugin::OpenDevice>(*plugin_, request, i));
    engines_ = {devices_[0].get(), devices_[1].get(), devices_[0].get()};
  }

  std::unique_ptr<plugin::DevicePlugin> plugin_ = fake_plugin({});
  plan::ArenaMap arena_;
  plan::Cluster cluster_;
  std::vector<std::unique_ptr<plugin::OpenDevice>> devices_;
  runtime::Engines engines_;
};

TEST_F(Supported, AcceptsWhatTheDevicesHave) {
  for (const SamplePlan& sample : sample_plans()) {
    const plan::Plan plan = write_plan(cluster_, arena_, sample.write);
    EXPECT_NO_THROW(runtime::require_supported(plan::lower(plan), engines_)) << sample.name;
  }
}

TEST_F(Supported, NamesOperationPlaceAndReason) {
  const plan::Plan plan = write_plan(cluster_, arena_, [](Planner& p) {
    p.compute();
    const Buffer square = p.scratch(p.replica_place(ReplicaId(1)), 4);
    p.fill(square, 1);
    const Buffer product = p.scratch(p.replica_place(ReplicaId(1)), 4);
    p.matmul(product, square, square, 2, 2, 2);
  });
  try {
    runtime::require_supported(plan::lower(plan), engines_);
    FAIL() << "a matmul was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kUnavailable);
    EXPECT_THAT(error.what(), ::testing::HasSubstr("(matmul)"));
    EXPECT_THAT(error.what(), ::testing::HasSubstr("cannot run on fake:1"));
    EXPECT_THAT(error.what(), ::testing::HasSubstr("a fake device has no matmul"));
  }
}

}  // namespace
}  // namespace convoy::testing
