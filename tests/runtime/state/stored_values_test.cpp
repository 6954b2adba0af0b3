#include "core/runtime/state/stored_values.hpp"

#include <gtest/gtest.h>

#include "core/base/files/byte_hash.hpp"
#include "core/runtime/session.hpp"
#include "tests/runtime/plugins.hpp"
#include "tests/runtime/small_models.hpp"
#include "tests/runtime/training.hpp"

namespace convoy::testing {
namespace {

// The number is xxh128sum's for a file with the bytes of 1.0f and 2.0f.
TEST(StoredValues, HaveTheXxh128OfTheirBytesInTheirOrder) {
  plugin::PluginHost host;
  const auto cpu = cpu_plugin(host);
  const auto strategy = strategy_plugin(host, "replicated");
  const runtime::Session scalars(two_scalars(), *strategy, open_devices(*cpu, 2), {});
  EXPECT_EQ(scalars.values().parameter_hash(), "4533ce61c4655ba3c3e077b25dd1d769");
  const runtime::Session session(normalised_network(), *strategy, open_devices(*cpu, 2), {});
  const runtime::ModelValues model = session.values().read_model();
  ByteHash hash;
  for (const std::vector<float>& variable : model.variables)
    hash.add(std::as_bytes(std::span(variable)));
  hash.add(std::as_bytes(std::span(model.state)));
  EXPECT_EQ(session.values().parameter_hash(), hash.digits());
}

}  // namespace
}  // namespace convoy::testing
