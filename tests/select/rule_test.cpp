#include "core/select/rule.hpp"

#include <gtest/gtest.h>

namespace convoy::select {
namespace {

std::string chosen(const SelectionFacts& facts) {
  const SelectionRules rules = SelectionRules::read(CONVOY_SOURCE_DIR "/share/select/rules.json");
  const Selection selection = rules.choose(facts, [](const std::string&) { return true; });
  std::string text;
  for (const auto& [flag, value] : selection.flags)
    text.append(flag).append("=").append(value).append(" ");
  return text;
}

TEST(SelectionRules, TakeTheDevicesOwnReductionOnTheHostsProcessors) {
  EXPECT_EQ(chosen({.on_host_processors = true, .gradient_megabytes = 500}),
            "all_reduce_spec=collective variable_update=replicated ");
}

TEST(SelectionRules, GoByServersOnSeveralHosts) {
  EXPECT_EQ(chosen({.several_hosts = true, .parameter_servers = true, .on_host_processors = true}),
            "variable_update=distributed_replicated ");
  EXPECT_EQ(chosen({.several_hosts = true, .gradient_megabytes = 500}),
            "all_reduce_spec=xring variable_update=distributed_all_reduce ");
}

TEST(SelectionRules, GoByGradientsAndSwitchesOnAccelerators) {
  EXPECT_EQ(chosen({.gradient_megabytes = 500}),
            "all_reduce_spec=nccl variable_update=replicated ");
  EXPECT_EQ(chosen({.nvswitch = true, .gradient_megabytes = 50}),
            "all_reduce_spec=nccl variable_update=replicated ");
  EXPECT_EQ(chosen({.gradient_megabytes = 50}),
            "local_parameter_device=cpu variable_update=parameter_server ");
}

}  // namespace
}  // namespace convoy::select
