#include "plugins/devices/cuda/graphs/operation_signature.hpp"

#include <gtest/gtest.h>

#include <convoy/operation_traits.hpp>

namespace convoy::cuda {
namespace {

Signature signature_of(std::uint32_t kind, const std::uint64_t (&sizes)[4]) {
  convoy_submission operation{};
  operation.kind = kind;
  operation.sizes = sizes;
  Signature signature;
  append_signature(operation, signature);
  return signature;
}

// A recorded graph with other sizes would be replayed instead.
TEST(OperationSignature, HoldsEverySizeOfKindsThatUseThem) {
  const std::uint64_t sizes[4] = {2, 3, 4, 5};
  for (std::uint32_t kind = CONVOY_OP_COPY; find_operation_traits(kind) != nullptr; ++kind) {
    const OperationTraits& traits = *find_operation_traits(kind);
    for (std::size_t i = 0; i < 4; ++i) {
      std::uint64_t others[4] = {2, 3, 4, 5};
      ++others[i];
      EXPECT_EQ(signature_of(kind, sizes) != signature_of(kind, others),
                (traits.fields & kUsesSizes) != 0)
          << traits.name << ", size " << i;
    }
  }
}

}  // namespace
}  // namespace convoy::cuda
