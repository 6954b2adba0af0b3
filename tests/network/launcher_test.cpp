#include "core/network/launcher.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.hpp"
#include "tests/network/environment.hpp"

namespace convoy::network::launcher_test {

std::string problem_of(const std::map<std::string, std::string>& variables) {
  try {
    launched_process(environment_of(variables));
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kUsage);
    return error.what();
  }
  return "";
}

TEST(Launcher, NothingMeansNoLauncher) {
  EXPECT_FALSE(launched_process(environment_of({})));
  EXPECT_FALSE(launched_process(environment_of({{"MASTER_ADDR", "a"}, {"MASTER_PORT", "1"}})));
  EXPECT_FALSE(launched_process(environment_of({{"RANK", ""}})));
}

TEST(Launcher, ReadsOpenMpiOnOneMachine) {
  const auto process = launched_process(environment_of({{"OMPI_COMM_WORLD_RANK", "3"},
                                                        {"OMPI_COMM_WORLD_SIZE", "4"},
                                                        {"OMPI_COMM_WORLD_LOCAL_RANK", "3"},
                                                        {"OMPI_COMM_WORLD_LOCAL_SIZE", "4"},
                                                        {"PMIX_NAMESPACE", "77"}}));
  ASSERT_TRUE(process);
  EXPECT_EQ(process->rank, 3);
  EXPECT_EQ(process->size, 4);
  EXPECT_EQ(process->local_size, 4);
  ASSERT_TRUE(process->coordinator);
  EXPECT_EQ(process->coordinator->host, "127.0.0.1");
  EXPECT_GE(process->coordinator->port, 20000);
  EXPECT_LT(process->coordinator->port, 30000);
}

TEST(Launcher, OpenMpiOnSeveralMachinesNeedsToBeTold) {
  std::map<std::string, std::string> variables = {{"OMPI_COMM_WORLD_RANK", "0"},
                                                  {"OMPI_COMM_WORLD_SIZE", "4"},
                                                  {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}};
  EXPECT_FALSE(launched_process(environment_of(variables))->coordinator);
  variables["MASTER_ADDR"] = "node1";
  variables["MASTER_PORT"] = "29500";
  EXPECT_EQ(launched_process(environment_of(variables))->coordinator, (HostPort{"node1", 29500}));
}

TEST(Launcher, ReadsMpich) {
  const auto process = launched_process(environment_of(
      {{"PMI_RANK", "1"}, {"PMI_SIZE", "2"}, {"MPI_LOCALRANKID", "1"}, {"MPI_LOCALNRANKS", "2"}}));
  ASSERT_TRUE(process);
  EXPECT_EQ(process->launcher, "MPICH");
  EXPECT_EQ(process->rank, 1);
  EXPECT_EQ(process->coordinator->host, "127.0.0.1");
}

TEST(Launcher, ReadsPmixUnderSlurm) {
  const auto process = launched_process(environment_of({{"PMIX_RANK", "2"},
                                                        {"SLURM_NTASKS", "4"},
                                                        {"SLURM_JOB_ID", "9"},
                                                        {"SLURM_JOB_NODELIST", "n[3-6]"}}));
  ASSERT_TRUE(process);
  EXPECT_EQ(process->rank, 2);
  EXPECT_EQ(process->size, 4);
  EXPECT_EQ(process->coordinator->host, "n3");
}

TEST(Launcher, ReadsRankAndWorldSize) {
  const auto process = launched_process(environment_of({{"RANK", "5"},
                                                        {"WORLD_SIZE", "8"},
                                                        {"LOCAL_RANK", "1"},
                                                        {"LOCAL_WORLD_SIZE", "4"},
                                                        {"MASTER_ADDR", "node1"},
                                                        {"MASTER_PORT", "29500"}}));
  ASSERT_TRUE(process);
  EXPECT_EQ(process->rank, 5);
  EXPECT_EQ(process->size, 8);
  EXPECT_EQ(process->local_size, 4);
  EXPECT_EQ(process->coordinator, (HostPort{"node1", 29500}));
}

TEST(Launcher, ReadsSlurm) {
  const auto task = [](const char* rank, const char* step) {
    return launched_process(environment_of({{"SLURM_PROCID", rank},
                                            {"SLURM_NTASKS", "4"},
                                            {"SLURM_LOCALID", "1"},
                                            {"SLURM_JOB_ID", "4711"},
                                            {"SLURM_STEP_ID", step},
                                            {"SLURM_JOB_NODELIST", "n[07-08]"}}));
  };
  const auto process = task("3", "0");
  ASSERT_TRUE(process);
  EXPECT_EQ(process->rank, 3);
  EXPECT_EQ(process->size, 4);
  EXPECT_EQ(process->coordinator->host, "n07");
  EXPECT_EQ(process->coordinator, task("0", "0")->coordinator) << "all tasks find the same port";
  EXPECT_NE(process->coordinator, task("0", "1")->coordinator) << "other steps have others";
}

TEST(Launcher, ALauncherInsideASlurmJobCounts) {
  const auto process = launched_process(environment_of({{"OMPI_COMM_WORLD_RANK", "1"},
                                                        {"OMPI_COMM_WORLD_SIZE", "2"},
                                                        {"SLURM_PROCID", "0"},
                                                        {"SLURM_NTASKS", "8"}}));
  EXPECT_EQ(process->launcher, "Open MPI");
  EXPECT_EQ(process->rank, 1);
}

TEST(Launcher, ABatchScriptOfSlurmsIsOneProcess) {
  EXPECT_FALSE(launched_process(environment_of(
      {{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}, {"SLURM_JOB_NODELIST", "n[3-6]"}})));
}

TEST(Launcher, RefusesWhatDoesNotFit) {
  EXPECT_NE(problem_of({{"RANK", "4"}, {"WORLD_SIZE", "4"}}).find("RANK=4"), std::string::npos);
  EXPECT_NE(problem_of({{"RANK", "x"}, {"WORLD_SIZE", "4"}}).find("RANK='x'"), std::string::npos);
  EXPECT_NE(problem_of({{"RANK", "1"}}).find("WORLD_SIZE"), std::string::npos);
  EXPECT_EQ(problem_of({{"WORLD_SIZE", "2"}}),
            "WORLD_SIZE=2 is set and RANK is not; set both, or neither for a run of one process");
  EXPECT_NE(problem_of({{"OMPI_COMM_WORLD_RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", "0"}})
                .find("OMPI_COMM_WORLD_SIZE='0'"),
            std::string::npos);
  EXPECT_NE(problem_of({{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "a"}})
                .find("MASTER_PORT is not"),
            std::string::npos);
  EXPECT_THAT(
      problem_of(
          {{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "http://a"}, {"MASTER_PORT", "1"}}),
      ::testing::HasSubstr("MASTER_ADDR: 'http://a'"));
}

}  // namespace convoy::network::launcher_test
