#include "core/qualify/storage_probe.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/thrown_text.hpp"

namespace convoy::qualify {
namespace {

// qualify refuses --train_dir.
TEST(StorageProbe, NamesWhatChoosesTheFolder) {
  const std::string text = thrown_text([] { probe_storage("/no/such/folder", 1 << 20); });
  EXPECT_THAT(text, ::testing::HasSubstr("TMPDIR names another folder"));
}

}  // namespace
}  // namespace convoy::qualify
