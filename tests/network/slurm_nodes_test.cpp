#include "core/network/slurm_nodes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/base/error.hpp"

namespace convoy::network::slurm_nodes_test {

using testing::ElementsAre;

TEST(SlurmNodes, ExpandsRangesAndLists) {
  EXPECT_THAT(expand_node_list("login", "X"), ElementsAre("login"));
  EXPECT_THAT(expand_node_list("a,b", "X"), ElementsAre("a", "b"));
  EXPECT_THAT(expand_node_list("n[1-3,7]", "X"), ElementsAre("n1", "n2", "n3", "n7"));
  EXPECT_THAT(expand_node_list("n[08-10],gpu[1,3]-ib,x", "X"),
              ElementsAre("n08", "n09", "n10", "gpu1-ib", "gpu3-ib", "x"));
}

TEST(SlurmNodes, ExpandsSeveralBrackets) {
  EXPECT_THAT(expand_node_list("rack[1-2]n[0-1]", "X"),
              ElementsAre("rack1n0", "rack1n1", "rack2n0", "rack2n1"));
}

TEST(SlurmNodes, RefusesWhatIsNoList) {
  for (const char* list : {"n[1-3", "n1-3]", "n[[1]]", "n[a-b]", "n[3-1]", "n[1-]", "n[]", "a,,b",
                           "n[0-99999999]", "n[0-999]m[0-999]", ","})
    EXPECT_THROW(expand_node_list(list, "SLURM_JOB_NODELIST"), Error) << list;
}

TEST(SlurmNodes, RefusesNamesThatNoHostHas) {
  const std::string name(200, 'n');
  EXPECT_EQ(expand_node_list(name + "[1-2]", "X").size(), 2u);
  const std::string numbers = "[0-65535]";
  const std::vector<std::string> lists = {name + name, name + numbers + name,
                                          numbers + name + "[1]" + name};
  for (const std::string& list : lists) EXPECT_THROW(expand_node_list(list, "X"), Error) << list;
}

TEST(SlurmNodes, NamesTheVariable) {
  try {
    expand_node_list("n[1", "SLURM_JOB_NODELIST");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::kUsage);
    EXPECT_NE(std::string(error.what()).find("SLURM_JOB_NODELIST='n[1'"), std::string::npos);
  }
}

}  // namespace convoy::network::slurm_nodes_test
