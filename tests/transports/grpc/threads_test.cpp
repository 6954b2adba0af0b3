#include <grpc/support/cpu.h>
#include <gtest/gtest.h>

#include <convoy/grpc_threads.hpp>

namespace convoy::grpc_transport {
namespace {

TEST(GrpcThreads, CountsCoresAsTheLibraryDoes) {
  EXPECT_EQ(grpc_cores(), gpr_cpu_num_cores());
}

}  // namespace
}  // namespace convoy::grpc_transport
