#include "core/plugin/model_plugin.hpp"

#include <convoy/sized.hpp>

#include <gtest/gtest.h>

#include "tests/plugin/fixtures.hpp"

namespace convoy::plugin {
namespace {

std::uint64_t reserved = 0;

convoy_model model_table() {
  auto table = make_sized<convoy_model>();
  table.abi_major = CONVOY_ABI_MAJOR;
  table.create = [](convoy_context*, const convoy_host*, void**) { return 0; };
  table.destroy = [](void*) {};
  table.info = [](void*, convoy_context*, convoy_model_info* out) {
    out->image_size = 28;
    out->rate.base = 0.5;
    out->rate.reserved = reserved;
    return 0;
  };
  return table;
}

TEST(ModelPluginTest, RefusesALearningRateRuleThatItDoesNotKnow) {
  const convoy_model table = model_table();
  ModelPlugin model({.table = &table, .manifest = {}, .path = "in this program"}, {});
  reserved = 0;
  EXPECT_EQ(model.info().rate.base, 0.5);
  reserved = 104;
  expect_error(ExitCode::kUnavailable, {"the reserved field of its learning-rate rule is 104"},
               [&] { model.info(); });
}

}  // namespace
}  // namespace convoy::plugin
