// Every fuzzer takes the inputs that it starts from. That needs neither clang nor time, so fuzzers
// that no longer compile or fit their readers are seen by everybody.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include "tests/scratch_folder.hpp"

// The function that libFuzzer wants has a name of its own here, for each fuzzer.
using TryInput = int(const std::uint8_t* data, std::size_t size);
extern "C" TryInput convoy_fuzz_algorithms, convoy_fuzz_calibration, convoy_fuzz_catalogue,
    convoy_fuzz_checkpoint, convoy_fuzz_choice, convoy_fuzz_cifar10, convoy_fuzz_example,
    convoy_fuzz_flag_file, convoy_fuzz_frames, convoy_fuzz_hosts, convoy_fuzz_jpeg,
    convoy_fuzz_machine, convoy_fuzz_manifest, convoy_fuzz_messages, convoy_fuzz_option_texts,
    convoy_fuzz_pickle, convoy_fuzz_platform, convoy_fuzz_record, convoy_fuzz_safetensors,
    convoy_fuzz_software, convoy_fuzz_system, convoy_fuzz_task_texts, convoy_fuzz_tfrecord,
    convoy_fuzz_weights_map;

namespace convoy::testing {
namespace {

namespace fs = std::filesystem;

const std::map<std::string, TryInput*>& fuzzers() {
  static const std::map<std::string, TryInput*> kAll = {{"algorithms", convoy_fuzz_algorithms},
                                                        {"calibration", convoy_fuzz_calibration},
                                                        {"catalogue", convoy_fuzz_catalogue},
                                                        {"checkpoint", convoy_fuzz_checkpoint},
                                                        {"choice", convoy_fuzz_choice},
                                                        {"cifar10", convoy_fuzz_cifar10},
                                                        {"example", convoy_fuzz_example},
                                                        {"flag_file", convoy_fuzz_flag_file},
                                                        {"frames", convoy_fuzz_frames},
                                                        {"hosts", convoy_fuzz_hosts},
                                                        {"jpeg", convoy_fuzz_jpeg},
                                                        {"machine", convoy_fuzz_machine},
                                                        {"manifest", convoy_fuzz_manifest},
                                                        {"messages", convoy_fuzz_messages},
                                                        {"option_texts", convoy_fuzz_option_texts},
                                                        {"pickle", convoy_fuzz_pickle},
                                                        {"platform", convoy_fuzz_platform},
                                                        {"record", convoy_fuzz_record},
                                                        {"safetensors", convoy_fuzz_safetensors},
                                                        {"software", convoy_fuzz_software},
                                                        {"system", convoy_fuzz_system},
                                                        {"task_texts", convoy_fuzz_task_texts},
                                                        {"tfrecord", convoy_fuzz_tfrecord},
                                                        {"weights_map", convoy_fuzz_weights_map}};
  return kAll;
}

std::string bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

TEST(FuzzSeeds, AreTakenByTheirFuzzers) {
  const fs::path seeds = scratch_folder("fuzz_seeds");
  ASSERT_EQ(std::system((CONVOY_BINARY_DIR "/tests/convoy_fuzz_seeds " + seeds.string()).c_str()),
            0);
  std::size_t folders = 0;
  for (const auto& entry : fs::directory_iterator(seeds)) folders += entry.is_directory() ? 1 : 0;
  EXPECT_EQ(folders, fuzzers().size()) << "a fuzzer is missing here, or its seeds";
  for (const auto& [name, try_input] : fuzzers()) {
    int inputs = 0;
    for (const auto& entry : fs::recursive_directory_iterator(seeds / name)) {
      if (!entry.is_regular_file()) continue;
      const std::string bytes = bytes_of(entry.path());
      EXPECT_EQ(try_input(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()), 0)
          << entry.path();
      ++inputs;
    }
    EXPECT_GT(inputs, 0) << name;
  }
}

}  // namespace
}  // namespace convoy::testing
