#include "plugins/devices/cuda/libraries/dynamic_library.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/thrown_text.hpp"

namespace convoy::cuda {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(LibraryOfNvidia, IsNamedWhenItIsMissing) {
  const std::string text = thrown_text<std::exception>([] {
    const DynamicLibrary library({"libno-such-cudnn.so.9", "libno-such-cudnn.so"}, "a convolution");
  });
  EXPECT_THAT(text, AllOf(HasSubstr("a convolution needs libno-such-cudnn.so"),
                          HasSubstr("libno-such-cudnn.so.9: cannot open shared object file"),
                          HasSubstr("install it, or add its folder to LD_LIBRARY_PATH")));
}

TEST(LibraryOfNvidia, IsOfAnotherVersionWhenAFunctionIsMissing) {
  const DynamicLibrary library({"libm.so.6"}, "a test");
  double (*cosine)(double) = nullptr;
  library.load(cosine, "cos");
  EXPECT_EQ(cosine(0.0), 1.0);
  EXPECT_THAT(
      thrown_text<std::exception>([&] { library.load(cosine, "no_such_function"); }),
      AllOf(HasSubstr("libm.so.6 has no function no_such_function"), HasSubstr("another version")));
}

}  // namespace
}  // namespace convoy::cuda
