// The same command line gives the same parameters, however busy the machine is and however many
// threads prepare the input.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "core/base/text/json.hpp"
#include "tests/end_to_end/run_program.hpp"

namespace convoy {
namespace {

using testing::HasSubstr;

// Wants two cores while it lives.
class Load {
 public:
  Load() {
    for (int i = 0; i < 2; ++i)
      threads_.emplace_back([](const std::stop_token& stop) {
        std::atomic<std::uint64_t> count = 0;
        while (!stop.stop_requested()) ++count;
      });
  }

 private:
  std::vector<std::jthread> threads_;
};

using Arguments = std::vector<std::string>;

Arguments operator+(Arguments first, const Arguments& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

const Arguments kLenet{"run", "--model=lenet", "--device=cpu", "--num_warmup_batches=1",
                       "--batch_size=6"};
const Arguments kRecords{"--data_dir=" CONVOY_SOURCE_DIR "/share/sample_data/imagenet",
                         "--distortions", "--init_learning_rate=0.001"};

// The hash that a run prints, which is also in its record.
std::string hash_of(const Arguments& arguments) {
  const std::string path = scratch_folder("determinism") + "/run.json";
  const ProgramResult result =
      run_convoy(arguments + Arguments{"--deterministic", "--output_file=" + path});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const std::string title = "parameter hash: ";
  const std::size_t found = result.out.find(title);
  if (found == std::string::npos) {
    ADD_FAILURE() << result.out;
    return "";
  }
  std::string hash = result.out.substr(found + title.size(), 32);
  EXPECT_EQ(result.out.substr(found + title.size() + 32), "\n");
  std::ifstream in(path);
  EXPECT_EQ(parse_json(in).at("parameter_hash"), hash);
  return hash;
}

std::string hash_under_load(const Arguments& arguments) {
  const Load load;
  return hash_of(arguments);
}

class Deterministic : public testing::TestWithParam<Arguments> {};

TEST_P(Deterministic, TwoRunsGiveTheSameParameters) {
  const Arguments run =
      kLenet + kRecords + Arguments{"--num_devices=2", "--num_batches=4"} + GetParam();
  const std::string first = hash_of(run + Arguments{"--input_threads=1"});
  EXPECT_EQ(hash_under_load(run + Arguments{"--input_threads=3"}), first);
}

INSTANTIATE_TEST_SUITE_P(
    Strategies, Deterministic,
    testing::Values(Arguments{"--variable_update=parameter_server", "--local_parameter_device=cpu"},
                    Arguments{"--variable_update=parameter_server", "--local_parameter_device=gpu"},
                    Arguments{"--variable_update=parameter_server", "--staged_vars"},
                    Arguments{"--variable_update=parameter_server",
                              "--variable_consistency=relaxed"},
                    Arguments{"--variable_update=replicated"},
                    Arguments{"--variable_update=replicated", "--all_reduce_spec=pscpu"},
                    Arguments{"--variable_update=replicated", "--all_reduce_spec=xring"},
                    Arguments{"--variable_update=replicated", "--all_reduce_spec=collective"},
                    Arguments{"--variable_update=replicated", "--hierarchical_copy"},
                    Arguments{"--variable_update=replicated", "--variable_consistency=relaxed"},
                    Arguments{"--variable_update=independent"}));

TEST(Deterministic, ThreadsOfTheInputDoNotMatterOnOneDevice) {
  const Arguments run =
      kLenet + kRecords + Arguments{"--num_devices=1", "--num_batches=5", "--optimizer=adam"};
  const std::string one = hash_of(run + Arguments{"--input_threads=1", "--prefetch_depth=1"});
  EXPECT_EQ(hash_of(run + Arguments{"--input_threads=2"}), one);
  EXPECT_EQ(hash_under_load(run + Arguments{"--input_threads=5", "--prefetch_depth=4"}), one);
}

// A copy of one shard of the sample set with a damaged byte: some record cannot be used.
std::string damaged_records() {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(scratch_folder("determinism_damaged")) / "imagenet";
  fs::create_directories(folder);
  const fs::path file = folder / "train-00000-of-00001";
  fs::copy_file(CONVOY_SOURCE_DIR "/share/sample_data/imagenet/train-00000-of-00004", file);
  std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
  stream.seekp(600);
  stream.put('!');
  return folder.string();
}

TEST(Deterministic, BadRecordsAreReplacedAlike) {
  const Arguments run =
      kLenet + Arguments{"--data_dir=" + damaged_records(), "--num_devices=2",
                         "--on_bad_record=skip", "--num_batches=8", "--init_learning_rate=0.001"};
  const std::string one = hash_of(run + Arguments{"--input_threads=1"});
  EXPECT_EQ(hash_under_load(run + Arguments{"--input_threads=4"}), one);
}

// Weights without a gradient stay what they are: the seed shows in what each kind of data and
// initialiser makes of it.
TEST(Seed, ChangesInitialValuesSyntheticRealAndHashData) {
  const Arguments run = kLenet + Arguments{"--num_devices=1", "--num_batches=2"};
  const std::vector<Arguments> kinds = {
      {"--init_learning_rate=1e-6"},
      kRecords,
      {"--data_name=hash", "--initializer=hash", "--init_learning_rate=0.001"},
      kRecords + Arguments{"--initializer=hash", "--init_learning_rate=0.0001"}};
  std::vector<std::string> hashes;
  for (const Arguments& kind : kinds)
    for (const char* seed : {"--seed=1", "--seed=2", "--tf_random_seed=1"})
      hashes.push_back(hash_of(run + kind + Arguments{seed}));
  for (std::size_t i = 0; i < hashes.size(); i += 3) {
    EXPECT_NE(hashes[i], hashes[i + 1]) << testing::PrintToString(kinds[i / 3]);
    EXPECT_EQ(hashes[i], hashes[i + 2]) << testing::PrintToString(kinds[i / 3]);
  }
}

TEST(ParameterHash, IsPrintedOnlyWhenAskedFor) {
  const Arguments run = kLenet + Arguments{"--num_devices=1", "--num_batches=1"};
  EXPECT_THAT(run_convoy(run).out, testing::Not(HasSubstr("parameter hash")));
  EXPECT_THAT(run_convoy(run + Arguments{"--print_parameter_hash"}).out,
              HasSubstr("parameter hash: "));
}

// A strategy whose replicas neither wait for each other nor for the variables.
TEST(Deterministic, IsRefusedToAsynchronousStrategies) {
  const std::string file = CONVOY_BINARY_DIR "/tests/end_to_end/fixtures/hogwild.so";
  const Arguments run =
      kLenet + Arguments{"--num_devices=2", "--num_batches=2", "--variable_update=" + file};
  EXPECT_EQ(run_convoy(run).exit_code, 0);
  const ProgramResult refused = run_convoy(run + Arguments{"--deterministic"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("--deterministic does not go with --variable_update=hogwild"));
  EXPECT_THAT(refused.err, HasSubstr("its plan is asynchronous"));
  EXPECT_THAT(refused.out, testing::Not(HasSubstr("images/sec")));
}

}  // namespace
}  // namespace convoy
