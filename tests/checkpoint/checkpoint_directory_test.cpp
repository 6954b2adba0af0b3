#include "core/checkpoint/checkpoint_directory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "core/base/error.hpp"
#include "core/checkpoint/checkpoint_marker.hpp"
#include "tests/checkpoint/scratch.hpp"
#include "tests/support/thrown_text.hpp"

namespace {

bool locks_are_refused = false;

}  // namespace

// In the place of the system's: a file system without locks cannot be had everywhere.
extern "C" int flock(int descriptor, int operation) noexcept {
  if (!locks_are_refused) return static_cast<int>(::syscall(SYS_flock, descriptor, operation));
  errno = ENOLCK;
  return -1;
}

namespace convoy::testing {
namespace {

using checkpoint::CheckpointDirectory;
using checkpoint::write_checkpoint_marker;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Optional;

std::vector<checkpoint::Tensor> tensors_of(std::int64_t step) {
  return {checkpoint::make_tensor("w", {4}, std::vector<float>(4, static_cast<float>(step)))};
}

class CheckpointFolder : public ::testing::Test {
 protected:
  CheckpointFolder()
      : folder_(fresh_folder(
            "checkpoints_" +
            std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()))) {}

  void prepare(CheckpointDirectory& directory) {
    directory.prepare([this](const std::string& text) { notices_.push_back(text); });
  }
  // As a run does that saves nothing.
  void prepare(std::int64_t keep = 5) {
    CheckpointDirectory directory(folder_, keep);
    prepare(directory);
  }

  void save(CheckpointDirectory& directory, std::int64_t step) {
    directory.save(step, {{"step", std::to_string(step)}}, tensors_of(step));
  }

  // The step of the newest good one, or nothing.
  std::optional<std::int64_t> newest(std::int64_t keep = 5) {
    CheckpointDirectory directory(folder_, keep);
    const auto file =
        directory.open_newest([this](const std::string& text) { notices_.push_back(text); });
    if (!file) return std::nullopt;
    return static_cast<std::int64_t>(file->read_floats(*file->find("w")).front());
  }

  // What the marker says is complete.
  std::vector<std::string> named() const {
    return checkpoint::read_checkpoint_marker(folder_)
        .value_or(checkpoint::CheckpointMarker{})
        .newest_first;
  }

  fs::path folder_;
  std::vector<std::string> notices_;
};

TEST_F(CheckpointFolder, KeepsTheNewestOnes) {
  CheckpointDirectory directory(folder_, 3);
  prepare(directory);
  for (std::int64_t step = 2; step <= 20; step += 2) save(directory, step);
  EXPECT_THAT(files_in(folder_), ElementsAre("checkpoint", "model-16.safetensors",
                                             "model-18.safetensors", "model-20.safetensors"));
  EXPECT_THAT(named(),
              ElementsAre("model-20.safetensors", "model-18.safetensors", "model-16.safetensors"));
  EXPECT_THAT(newest(), Optional(20));
}

TEST_F(CheckpointFolder, KeepsAllWhenAskedFor) {
  CheckpointDirectory directory(folder_, 0);
  for (std::int64_t step = 1; step <= 7; ++step) save(directory, step);
  EXPECT_EQ(files_in(folder_).size(), 8u);
}

TEST_F(CheckpointFolder, AnotherRunGoesOnWithTheList) {
  for (std::int64_t step = 1; step <= 4; ++step) {
    CheckpointDirectory directory(folder_, 2);
    save(directory, step);
  }
  EXPECT_THAT(files_in(folder_),
              ElementsAre("checkpoint", "model-3.safetensors", "model-4.safetensors"));
}

TEST_F(CheckpointFolder, EmptyOrMissingFolderHasNone) {
  EXPECT_EQ(newest(), std::nullopt);
  fs::remove_all(folder_);
  EXPECT_EQ(newest(), std::nullopt);
  EXPECT_FALSE(fs::exists(folder_));
}

TEST_F(CheckpointFolder, FallsBackFromDamagedOnes) {
  CheckpointDirectory directory(folder_, 5);
  for (const std::int64_t step : {1, 2, 3}) save(directory, step);
  fs::resize_file(folder_ / "model-3.safetensors", 60);
  std::string bytes = content(folder_ / "model-2.safetensors");
  bytes.back() = static_cast<char>(bytes.back() ^ 1);  // of a value: only the checksum tells
  write_file(folder_ / "model-2.safetensors", bytes);
  EXPECT_THAT(newest(), Optional(1));
  ASSERT_EQ(notices_.size(), 2u);
  EXPECT_THAT(notices_[0], HasSubstr("model-3.safetensors"));
  EXPECT_THAT(notices_[1], HasSubstr("checksum"));
}

// As an evaluation does beside a training that keeps one checkpoint: what it has found may be gone.
TEST_F(CheckpointFolder, FindsWhatIsSavedWhileItLooks) {
  CheckpointDirectory training(folder_, 1);
  prepare(training);
  save(training, 1);
  std::filesystem::resize_file(folder_ / "model-1.safetensors", 10);
  CheckpointDirectory evaluation(folder_, 1);
  const auto file = evaluation.open_newest([&](const std::string&) { save(training, 2); });
  ASSERT_NE(file, nullptr);
  EXPECT_EQ(file->path().filename(), "model-2.safetensors");
}

TEST_F(CheckpointFolder, ForgetsDamagedOnesOnceItSavesAgain) {
  CheckpointDirectory directory(folder_, 5);
  for (const std::int64_t step : {1, 2}) save(directory, step);
  fs::resize_file(folder_ / "model-2.safetensors", 60);
  CheckpointDirectory next(folder_, 5);
  next.open_newest([](const std::string&) {});
  save(next, 3);
  EXPECT_THAT(named(), ElementsAre("model-3.safetensors", "model-1.safetensors"));
}

TEST_F(CheckpointFolder, RefusesToStartAnewWhenAllAreDamaged) {
  CheckpointDirectory directory(folder_, 5);
  for (const std::int64_t step : {1, 2}) save(directory, step);
  for (const char* name : {"model-1.safetensors", "model-2.safetensors"})
    write_file(folder_ / name, "");
  EXPECT_THAT(thrown_text([&] { newest(); }),
              AllOf(HasSubstr("none of the 2 checkpoints"), HasSubstr("model-1.safetensors: "),
                    HasSubstr("model-2.safetensors: ")));
}

TEST_F(CheckpointFolder, HostileMarkersAreIgnored) {
  CheckpointDirectory directory(folder_, 5);
  for (const std::int64_t step : {9, 10}) save(directory, step);
  for (const std::string marker :
       {"", "{", "[]", R"({"newest_first":7})", R"({"newest_first":["../x"]})",
        R"({"newest_first":["model--1.safetensors"]})", R"({"newest_first":[7]})",
        R"({"newest_first":[],"leaving":["../x"]})", "\xff\xfe"}) {
    write_file(folder_ / "checkpoint", marker);
    EXPECT_FALSE(checkpoint::read_checkpoint_marker(folder_)) << marker;
    EXPECT_THAT(newest(), Optional(10)) << marker;
  }
}

TEST_F(CheckpointFolder, TheMarkerDecidesWhichIsNewest) {
  CheckpointDirectory directory(folder_, 5);
  for (const std::int64_t step : {5, 9}) save(directory, step);
  write_checkpoint_marker(folder_, {{"model-5.safetensors"}, {}});  // stopped before it named 9
  EXPECT_THAT(newest(), Optional(5));
  write_checkpoint_marker(folder_, {{"model-7.safetensors"}, {}});  // someone removed it
  EXPECT_THAT(newest(), Optional(9));
}

TEST_F(CheckpointFolder, RemovesWhatAnInterruptedSaveLeft) {
  write_file(folder_ / "model-3.safetensors.saving-17", "half");
  write_file(folder_ / "notes.txt", "mine");
  prepare();
  EXPECT_THAT(files_in(folder_), ElementsAre("notes.txt"));
}

// Every bit of the header: what it says decides from where training goes on.
TEST_F(CheckpointFolder, NoFlippedBitOfTheHeaderPasses) {
  CheckpointDirectory directory(folder_, 5);
  directory.save(7, {{"step", "7"}, {"seed", "1"}, {"flags", "{}"}}, tensors_of(7));
  const fs::path path = folder_ / "model-7.safetensors";
  const std::string good = content(path);
  // Of what a run goes by: the name of the checksum itself may change, and padding.
  const auto said = [&path] {
    const checkpoint::SafetensorsFile file(path);
    checkpoint::verify_checksum(file);
    checkpoint::SafetensorsHeader header = file.header();
    std::erase_if(header.metadata, [](const auto& entry) {
      return entry.second.size() == 8;  // a checksum, whatever its name
    });
    return checkpoint::header_checksum(header, "");
  };
  const std::uint32_t sum = said();
  const std::size_t header = good.size() - 4 * sizeof(float);
  for (std::size_t bit = 0; bit < 8 * header; ++bit) {
    std::string bad = good;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << bit % 8));
    write_file(path, bad);
    try {
      EXPECT_EQ(said(), sum) << "bit " << bit;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::kFailed);
    }
  }
}

// A run that dies leaves no file behind that the next one does not know of, whenever it dies.
TEST_F(CheckpointFolder, RemovesOldOnesThatAKilledRunHadGivenUp) {
  CheckpointDirectory directory(folder_, 5);
  for (const std::int64_t step : {1, 2, 3}) save(directory, step);
  write_checkpoint_marker(folder_, {{"model-3.safetensors"}, {"model-1.safetensors"}});
  write_file(folder_ / "model-2-mine.safetensors", "mine");
  prepare();
  EXPECT_THAT(files_in(folder_), ElementsAre("checkpoint", "model-2-mine.safetensors",
                                             "model-2.safetensors", "model-3.safetensors"));
}

TEST_F(CheckpointFolder, KilledBeforeTheNewOneHasItsNameKeepsTheOneBefore) {
  CheckpointDirectory directory(folder_, 1);
  save(directory, 1);
  write_checkpoint_marker(folder_, {{"model-2.safetensors"}, {"model-1.safetensors"}});
  write_file(folder_ / "model-2.safetensors.saving-17", "whole, but without its name");
  prepare(1);
  EXPECT_THAT(newest(), Optional(1));
}

// The next run finds what the killed one gave up, and gives it up for its own.
TEST_F(CheckpointFolder, WhatAKilledRunGaveUpGoesWithTheNextSave) {
  CheckpointDirectory directory(folder_, 2);
  for (const std::int64_t step : {1, 2}) save(directory, step);
  write_checkpoint_marker(
      folder_, {{"model-3.safetensors", "model-2.safetensors"}, {"model-1.safetensors"}});
  CheckpointDirectory next(folder_, 2);
  prepare(next);
  EXPECT_THAT(newest(), Optional(2));
  save(next, 3);
  EXPECT_THAT(files_in(folder_),
              ElementsAre("checkpoint", "model-2.safetensors", "model-3.safetensors"));
  save(next, 4);
  EXPECT_THAT(files_in(folder_),
              ElementsAre("checkpoint", "model-3.safetensors", "model-4.safetensors"));
}

TEST_F(CheckpointFolder, WhatAKilledRunGaveUpStaysWhereMoreAreKept) {
  CheckpointDirectory directory(folder_, 1);
  save(directory, 1);
  write_checkpoint_marker(folder_, {{"model-2.safetensors"}, {"model-1.safetensors"}});
  CheckpointDirectory next(folder_, 5);
  save(next, 3);
  EXPECT_THAT(named(), ElementsAre("model-3.safetensors", "model-1.safetensors"));
}

TEST_F(CheckpointFolder, SaysWhenTheFileSystemKnowsNoLocks) {
  locks_are_refused = true;
  CheckpointDirectory directory(folder_, 5);
  prepare(directory);
  locks_are_refused = false;
  EXPECT_THAT(notices_, ElementsAre(AllOf(HasSubstr(folder_.string() + " cannot be locked"),
                                          HasSubstr("No locks available"))));
  save(directory, 1);
  EXPECT_THAT(newest(), Optional(1));
}

// A limit on open files stands for a folder that may be written to and not be read.
TEST_F(CheckpointFolder, SaysWhenItCannotBeOpened) {
  rlimit old{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &old), 0);
  const rlimit none{0, old.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  std::string message;
  try {
    prepare();
  } catch (const Error& error) {
    message = error.what();
  }
  ::setrlimit(RLIMIT_NOFILE, &old);
  EXPECT_THAT(message, HasSubstr("cannot open the folder " + folder_.string()));
}

TEST_F(CheckpointFolder, IsOneRunsAtATime) {
  CheckpointDirectory directory(folder_, 5);
  prepare(directory);
  save(directory, 1);
  try {
    prepare();
    FAIL() << "two runs save to one folder";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kUnavailable);
    EXPECT_THAT(error.what(), HasSubstr("another run"));
  }
  EXPECT_THAT(newest(), Optional(1));  // looking is free
}

TEST_F(CheckpointFolder, SaysWhenTheFolderCannotBeMade) {
  write_file(folder_ / "file", "");
  for (const fs::path& folder : {folder_ / "file", folder_ / "file" / "below"}) {
    CheckpointDirectory directory(folder, 5);
    EXPECT_THROW(prepare(directory), Error);
  }
}

TEST_F(CheckpointFolder, IsRemovedWhereNothingWasSavedInIt) {
  const fs::path above = folder_ / "runs";
  for (const char* name : {"1", "1/"}) {
    CheckpointDirectory directory(above / name, 5);
    prepare(directory);
    CheckpointDirectory moved = std::move(directory);
    EXPECT_TRUE(fs::is_directory(above / "1"));
    CheckpointDirectory(std::move(moved));
    EXPECT_FALSE(fs::exists(above)) << "both were made for nothing";
  }
  EXPECT_TRUE(fs::exists(folder_)) << "it was there before";
  {
    CheckpointDirectory directory(above / "2", 5);
    prepare(directory);
    save(directory, 1);
  }
  EXPECT_TRUE(fs::exists(above / "2" / "model-1.safetensors"));
  fs::create_directory(above / "3");
  {
    CheckpointDirectory directory(above / "3", 5);
    prepare(directory);
  }
  EXPECT_TRUE(fs::exists(above / "3")) << "it was there before";
}

// A limit on file sizes stands for a full disk: writing fails half way.
TEST_F(CheckpointFolder, AFullDiskLeavesTheCheckpointsThatWereThere) {
  CheckpointDirectory directory(folder_, 1);
  save(directory, 1);
  const std::vector<std::string> before = files_in(folder_);
  rlimit old{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{1024, old.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  std::string message;
  try {
    directory.save(2, {}, {checkpoint::make_tensor("w", {4096}, std::vector<float>(4096, 1.0f))});
  } catch (const Error& error) {
    message = error.what();
  }
  ::setrlimit(RLIMIT_FSIZE, &old);
  std::signal(SIGXFSZ, handler);
  EXPECT_THAT(message, HasSubstr("File too large"));
  EXPECT_EQ(files_in(folder_), before);
  EXPECT_THAT(newest(), Optional(1));
}

}  // namespace
}  // namespace convoy::testing
