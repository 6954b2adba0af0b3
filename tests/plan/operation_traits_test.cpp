#include <gtest/gtest.h>
#include <convoy/operation_traits.hpp>

#include <set>

#include "core/plan/operation.hpp"

namespace convoy::plan {
namespace {

TEST(OperationTraits, AreFoundByKindAndByName) {
  std::set<std::string_view> names;
  for (std::uint32_t kind = CONVOY_OP_COPY; find_operation_traits(kind) != nullptr; ++kind) {
    const OperationTraits* const traits = find_operation_traits(kind);
    EXPECT_EQ(traits->kind, kind);
    EXPECT_TRUE(names.insert(traits->name).second) << traits->name << " is there twice";
    EXPECT_EQ(find_operation_traits(traits->name), traits);
    EXPECT_EQ(operation_name(static_cast<OperationKind>(kind)), traits->name);
    EXPECT_LE(traits->reads.least, traits->reads.most) << traits->name;
    EXPECT_LE(traits->writes.least, traits->writes.most) << traits->name;
  }
  EXPECT_EQ(names.size(), std::size_t{CONVOY_OP_DEQUANTISE});
}

TEST(OperationTraits, KnowNoOthers) {
  EXPECT_EQ(find_operation_traits(0u), nullptr);
  EXPECT_EQ(find_operation_traits(CONVOY_OP_DEQUANTISE + 1u), nullptr);
  EXPECT_EQ(find_operation_traits("teleport"), nullptr);
}

}  // namespace
}  // namespace convoy::plan
