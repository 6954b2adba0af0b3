#include "plugins/strategies/all_reduce_spec.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace convoy_strategies {

static void PrintTo(const AllReduceRange& range, std::ostream* stream) {
  *stream << range.algorithm << '#' << range.shards << " up to " << range.limit;
}

namespace {

using testing::ElementsAre;
using testing::HasSubstr;

AllReduceRange range(const std::string& algorithm, std::int64_t shards, std::int64_t limit) {
  return {algorithm, shards, limit};
}

void expect_refused(const std::string& spec, const std::string& reason) {
  try {
    const auto ranges = parse_all_reduce_spec(spec);
    ADD_FAILURE() << spec << " was taken as " << ranges.size() << " ranges";
  } catch (const std::invalid_argument& error) {
    EXPECT_THAT(error.what(), HasSubstr("'" + spec + "'"));
    EXPECT_THAT(error.what(), HasSubstr(reason));
  }
}

TEST(AllReduceSpec, OneAlgorithmTakesEverything) {
  for (const std::string name : {"nccl", "xring", "pscpu", "psgpu", "collective", "nccl/xring",
                                 "nccl/rechd", "nccl/pscpu", "pscpu/pscpu"})
    EXPECT_THAT(parse_all_reduce_spec(name), ElementsAre(range(name, 1, -1)));
}

TEST(AllReduceSpec, ShardsStandAtTheEndOfAnAlgorithm) {
  EXPECT_THAT(parse_all_reduce_spec("psgpu#4"), ElementsAre(range("psgpu", 4, -1)));
  EXPECT_THAT(parse_all_reduce_spec("pscpu/pscpu#2"), ElementsAre(range("pscpu/pscpu", 2, -1)));
  expect_refused("pscpu#2/pscpu", "'#2/pscpu' is not a number of shards");
}

TEST(AllReduceSpec, LimitsAreElementsInPowersOf1024) {
  EXPECT_THAT(
      parse_all_reduce_spec("pscpu:2k:pscpu#2:64k:xring"),
      ElementsAre(range("pscpu", 1, 2048), range("pscpu", 2, 65536), range("xring", 1, -1)));
  EXPECT_THAT(
      parse_all_reduce_spec("xring:2M:xring#2:1G:nccl"),
      ElementsAre(range("xring", 1, 2097152), range("xring", 2, 1073741824), range("nccl", 1, -1)));
  EXPECT_THAT(parse_all_reduce_spec("pscpu:7:nccl"),
              ElementsAre(range("pscpu", 1, 7), range("nccl", 1, -1)));
  EXPECT_THAT(parse_all_reduce_spec("pscpu:3K:nccl")[0], range("pscpu", 1, 3072));
  EXPECT_THAT(parse_all_reduce_spec("pscpu:1T:nccl")[0], range("pscpu", 1, 1099511627776));
}

TEST(AllReduceSpec, SaysWhichPartIsWrong) {
  expect_refused("nccl:2k", "a limit must be followed by an algorithm");
  expect_refused("foo", "no algorithm 'foo'");
  expect_refused("", "no algorithm ''");
  expect_refused("nccl:2q:xring", "'2q' is not a limit");
  expect_refused("nccl::xring", "'' is not a limit");
  expect_refused("nccl:k:xring", "'k' is not a limit");
  expect_refused("nccl:-2k:xring", "'-2k' is not a limit");
  expect_refused("nccl:2kk:xring", "'2kk' is not a limit");
  expect_refused("nccl:0x10:xring", "'0x10' is not a limit");
  expect_refused("nccl:99999999T:xring", "'99999999T' is not a limit");
  expect_refused("nccl:123456789012345678901234567890:xring", "is not a limit");
  expect_refused("pscpu:4k:", "no algorithm ''");
  expect_refused("psgpu#", "'#' is not a number of shards");
  expect_refused("psgpu#0", "'#0' is not a number of shards of at least 1");
  expect_refused("psgpu#-1", "'#-1' is not a number of shards");
  expect_refused("psgpu#two", "'#two' is not a number of shards");
  expect_refused("pscpu:4k:psgpu:4096:xring", "limits must rise");
}

}  // namespace
}  // namespace convoy_strategies
