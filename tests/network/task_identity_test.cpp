#include "core/network/task_identity.hpp"

#include <gtest/gtest.h>

#include "core/base/error.hpp"
#include "tests/network/environment.hpp"

namespace convoy::network::task_identity_test {

const std::map<std::string, std::string> kNothing;
const std::map<std::string, std::string> kFourRanks = {{"OMPI_COMM_WORLD_RANK", "2"},
                                                       {"OMPI_COMM_WORLD_SIZE", "4"},
                                                       {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}};

IdentityOptions task(const std::string& job, std::optional<int> index) {
  return {job, index, "a:1,a:2", "a:3,b:4,a:5", ""};
}

std::string problem_of(const IdentityOptions& options,
                       const std::map<std::string, std::string>& variables = {}) {
  try {
    identify_task(options, environment_of(variables));
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kUsage);
    return error.what();
  }
  return "";
}

TEST(TaskIdentity, WithoutFlagsAndLauncherARunIsOneProcess) {
  EXPECT_FALSE(identify_task({}, environment_of(kNothing)));
  EXPECT_FALSE(identify_task({}, environment_of({{"RANK", "0"}, {"WORLD_SIZE", "1"}})));
}

TEST(TaskIdentity, ReadsAWorker) {
  const auto identity = identify_task(task("worker", 2), environment_of(kFourRanks));
  ASSERT_TRUE(identity);
  EXPECT_EQ(identity->role, Role::kWorker);
  EXPECT_EQ(identity->index, 2);
  EXPECT_EQ(identity->workers, 3);
  EXPECT_EQ(identity->servers, 2);
  EXPECT_EQ(identity->tasks(), 5);
  EXPECT_EQ(identity->coordinator, (HostPort{"a", 3}));
  EXPECT_FALSE(identity->is_chief());
  EXPECT_FALSE(identity->is_coordinator());
  EXPECT_EQ(transport_address(*identity), (HostPort{"a", 5}));
}

TEST(TaskIdentity, TheChiefCoordinatesOnItsPort) {
  const auto identity = identify_task(task("worker", 0), environment_of(kNothing));
  EXPECT_TRUE(identity->is_chief());
  EXPECT_TRUE(identity->is_coordinator());
  EXPECT_EQ(transport_address(*identity), (HostPort{"a", 0})) << "its listed port is taken";
}

TEST(TaskIdentity, AControllerCoordinatesInstead) {
  IdentityOptions options = task("controller", 0);
  options.controller_host = "c:9";
  const auto controller = identify_task(options, environment_of(kNothing));
  EXPECT_TRUE(controller->is_coordinator());
  EXPECT_FALSE(controller->is_chief());
  EXPECT_EQ(controller->tasks(), 6);
  options.job_name = "worker";
  const auto chief = identify_task(options, environment_of(kNothing));
  EXPECT_TRUE(chief->is_chief());
  EXPECT_FALSE(chief->is_coordinator());
  EXPECT_EQ(chief->coordinator, (HostPort{"c", 9}));
  EXPECT_EQ(transport_address(*chief), (HostPort{"a", 3}));
}

TEST(TaskIdentity, ALauncherNumbersWorkers) {
  const auto identity = identify_task({}, environment_of(kFourRanks));
  ASSERT_TRUE(identity);
  EXPECT_EQ(identity->index, 2);
  EXPECT_EQ(identity->workers, 4);
  EXPECT_EQ(identity->source, "Open MPI");
  EXPECT_THROW(required_coordinator(*identity), Error);
  const auto told = identify_task({"", {}, "", "", "n1:7"}, environment_of(kFourRanks));
  EXPECT_EQ(required_coordinator(*told), (HostPort{"n1", 7}));
  EXPECT_FALSE(told->controller) << "no process of its own";
}

TEST(TaskIdentity, RefusesWhatContradictsItself) {
  EXPECT_NE(problem_of(task("master", 0)).find("--job_name=master"), std::string::npos);
  EXPECT_NE(problem_of(task("worker", 3)).find("--task_index=3"), std::string::npos);
  EXPECT_NE(problem_of(task("worker", -1)).find("--task_index=-1"), std::string::npos);
  EXPECT_NE(problem_of(task("ps", {})).find("needs --task_index"), std::string::npos);
  EXPECT_NE(problem_of(task("controller", 0)).find("--controller_host"), std::string::npos);
  EXPECT_NE(problem_of({"ps", 0, "", "a:1", ""}).find("--ps_hosts"), std::string::npos);
  EXPECT_NE(problem_of({"worker", 0, "a:1", "a:1", ""}).find("a:1 is in"), std::string::npos);
  EXPECT_NE(problem_of({"worker", 0, "", "a:1", "a:1"}).find("--controller_host=a:1"),
            std::string::npos);
  EXPECT_NE(problem_of({"", 1, "", "", ""}).find("--task_index=1"), std::string::npos);
  EXPECT_NE(problem_of({"", {}, "", "a:1,b:2", ""}).find("--worker_hosts=a:1,b:2"),
            std::string::npos);
  EXPECT_NE(problem_of({"", {}, "", "a:1,b:2", ""}, kFourRanks).find("2 addresses"),
            std::string::npos);
  EXPECT_NE(problem_of({"", {}, "a:1", "", ""}, kFourRanks).find("--ps_hosts=a:1"),
            std::string::npos);
}

}  // namespace convoy::network::task_identity_test
