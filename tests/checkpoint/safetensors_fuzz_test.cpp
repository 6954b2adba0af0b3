// Damaged files: whatever is changed, a file is either refused with an Error or all that it claims
// to hold can be read. The sanitizer builds run this, too.
#include <gtest/gtest.h>

#include <random>

#include "core/base/error.hpp"
#include "core/checkpoint/safetensors_file.hpp"
#include "core/checkpoint/safetensors_writer.hpp"
#include "tests/checkpoint/scratch.hpp"

namespace convoy::testing {
namespace {

std::string good_file(const fs::path& path) {
  std::vector<checkpoint::Tensor> tensors;
  for (int i = 0; i < 5; ++i) {
    const auto rows = static_cast<std::uint64_t>(i);
    tensors.push_back(checkpoint::make_tensor("layer" + std::to_string(i), {rows, 3},
                                              std::vector<float>(rows * 3, 1.5f)));
  }
  checkpoint::write_safetensors(path, {{"step", "12"}, {"flags", "--model=lenet"}}, tensors);
  return content(path);
}

class Mutator {
 public:
  explicit Mutator(std::uint32_t seed) : random_(seed) {}

  std::string mutate(std::string bytes) {
    const std::uint64_t times = 1 + pick(3);
    for (std::uint64_t i = 0; i < times && !bytes.empty(); ++i) change(bytes);
    return bytes;
  }

 private:
  std::uint64_t pick(std::uint64_t below) { return random_() % below; }

  void change(std::string& bytes) {
    static const std::string kSymbols = "{}[]\",:0123456789-.eFIU\\ \xff";
    const std::uint64_t at = pick(bytes.size());
    switch (pick(6)) {
      case 0:  // any byte
        bytes[at] = static_cast<char>(random_());
        break;
      case 1:  // something that means something in JSON
        bytes[at] = kSymbols[pick(kSymbols.size())];
        break;
      case 2:
        bytes.resize(at);
        break;
      case 3:
        bytes.insert(at, bytes, pick(bytes.size()), pick(40));
        break;
      case 4:
        bytes.erase(at, pick(20));
        break;
      default:  // the header's length
        bytes[pick(std::min<std::uint64_t>(8, bytes.size()))] = static_cast<char>(random_());
    }
  }

  std::mt19937 random_;
};

// Whether it was accepted.
bool read_everything(const fs::path& path) {
  try {
    const checkpoint::SafetensorsFile file(path);
    std::uint64_t bytes = 0;
    for (const checkpoint::StoredTensor& tensor : file.tensors()) bytes += file.read(tensor).size();
    EXPECT_LE(bytes, file.file_bytes());
    return true;
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(path.string()), std::string::npos) << error.what();
    return false;
  }
}

TEST(SafetensorsFuzz, DamagedFilesAreRefusedOrRead) {
  const fs::path path = fresh_folder("safetensors_fuzz") / "x.safetensors";
  const std::string good = good_file(path);
  Mutator mutator(20);
  int accepted = 0;
  constexpr int kTrials = 1000;
  for (int i = 0; i < kTrials; ++i) {
    write_file(path, mutator.mutate(good));
    if (read_everything(path)) ++accepted;
  }
  // Some changes only touch values; most of them do not.
  EXPECT_GT(accepted, kTrials / 100);
  EXPECT_LT(accepted, kTrials / 2);
}

// The same for the header alone, which needs no disk: all that is accepted tiles the data.
TEST(SafetensorsFuzz, AcceptedHeadersTileTheData) {
  const fs::path path = fresh_folder("safetensors_fuzz_header") / "x.safetensors";
  const std::string good = good_file(path);
  const std::uint64_t data_bytes = 30 * sizeof(float);
  const std::string json = good.substr(8, good.size() - 8 - data_bytes);
  Mutator mutator(21);
  int accepted = 0;
  constexpr int kTrials = 20000;
  for (int i = 0; i < kTrials; ++i) {
    try {
      std::uint64_t covered = 0;
      for (const checkpoint::StoredTensor& tensor :
           checkpoint::parse_safetensors_header(mutator.mutate(json), data_bytes, "x").tensors) {
        ASSERT_EQ(tensor.begin, covered);
        ASSERT_EQ(tensor.info.bytes(), tensor.end - tensor.begin);
        covered = tensor.end;
      }
      ASSERT_EQ(covered, data_bytes);
      ++accepted;
    } catch (const Error&) {  // refused
    }
  }
  EXPECT_GT(accepted, kTrials / 100);
  EXPECT_LT(accepted, kTrials / 2);
}

}  // namespace
}  // namespace convoy::testing
