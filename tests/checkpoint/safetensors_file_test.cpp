#include "core/checkpoint/safetensors_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstring>

#include "core/base/error.hpp"
#include "core/checkpoint/safetensors_writer.hpp"
#include "tests/checkpoint/scratch.hpp"
#include "tests/support/thrown_text.hpp"

namespace convoy::testing {
namespace {

using checkpoint::make_tensor;
using checkpoint::SafetensorsFile;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string opening_error(const fs::path& path) {
  return thrown_text([&] { const SafetensorsFile file(path); }, "no error");
}

std::string with_length(std::uint64_t length, const std::string& rest) {
  std::string bytes(sizeof(length), '\0');
  std::memcpy(bytes.data(), &length, sizeof(length));
  return bytes + rest;
}

TEST(SafetensorsFile, GivesBackWhatWasWritten) {
  const fs::path path = fresh_folder("safetensors") / "x.safetensors";
  const std::vector<checkpoint::Tensor> tensors = {
      make_tensor("conv/kernel", {2, 1, 1, 2}, std::vector<float>{1, 2, 3, -4}),
      make_tensor("empty", {0}, {}),
      make_tensor("scalar", {}, std::vector<float>{0.5f}),
  };
  const std::uint64_t bytes = checkpoint::write_safetensors(path, {{"step", "12"}}, tensors);
  const SafetensorsFile file(path);
  EXPECT_EQ(file.file_bytes(), bytes);
  EXPECT_EQ(file.metadata().at("step"), "12");
  ASSERT_NE(file.find("conv/kernel"), nullptr);
  EXPECT_THAT(file.read_floats(*file.find("conv/kernel")), ElementsAre(1, 2, 3, -4));
  EXPECT_THAT(file.read_floats(*file.find("scalar")), ElementsAre(0.5f));
  EXPECT_TRUE(file.read(*file.find("empty")).empty());
  EXPECT_EQ(file.find("conv"), nullptr);
  EXPECT_EQ(file.checksum(), checkpoint::tensors_checksum(tensors));
}

TEST(SafetensorsFile, NamesTheTensorThatIsCutOff) {
  const fs::path path = fresh_folder("safetensors_cut") / "x.safetensors";
  checkpoint::write_safetensors(path, {},
                                {make_tensor("a", {2}, std::vector<float>{1, 2}),
                                 make_tensor("last", {2}, std::vector<float>{3, 4})});
  fs::resize_file(path, fs::file_size(path) - 1);
  EXPECT_THAT(opening_error(path), HasSubstr("x.safetensors: tensor 'last': it ends at byte 16"));
}

TEST(SafetensorsFile, RefusesHeaderLengthsThatCannotBe) {
  const fs::path path = fresh_folder("safetensors_length") / "x.safetensors";
  write_file(path, with_length(~std::uint64_t{0}, "{}"));
  EXPECT_THAT(opening_error(path), HasSubstr("header claims 18446744073709551615 bytes"));
  EXPECT_THAT(opening_error(path), HasSubstr("no safetensors file"));
  write_file(path, with_length(3, "{}"));
  EXPECT_THAT(opening_error(path), HasSubstr("but 2 follow"));
  write_file(path, "1234567");
  EXPECT_THAT(opening_error(path), HasSubstr("7 bytes are too few"));
  write_file(path, "");
  EXPECT_THAT(opening_error(path), HasSubstr("0 bytes are too few"));
}

TEST(SafetensorsFile, RefusesWhatIsNoFile) {
  const fs::path folder = fresh_folder("safetensors_none");
  EXPECT_THAT(opening_error(folder / "none"), HasSubstr("No such file"));
  EXPECT_THAT(opening_error(folder), HasSubstr("is not a file"));
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_THAT(opening_error(folder / "pipe"), HasSubstr("is not a file"));
}

TEST(SafetensorsFile, NoticesAFileThatBecameShorter) {
  const fs::path path = fresh_folder("safetensors_shrunk") / "x.safetensors";
  checkpoint::write_safetensors(path, {}, {make_tensor("a", {2}, std::vector<float>{1, 2})});
  const SafetensorsFile file(path);
  fs::resize_file(path, 20);
  EXPECT_THROW(file.read(*file.find("a")), Error);
}

}  // namespace
}  // namespace convoy::testing
