#include <gtest/gtest.h>

#include "core/qualify/device_probes.hpp"
#include "core/qualify/judge.hpp"

namespace convoy::qualify {
namespace {

// Replicas 0 and 1, and 2 and 3, are joined by NVLink; the pairs are on different sockets.
plan::Cluster pairs_on_sockets() {
  plan::Cluster cluster = plan::make_single_host(4, false, "cuda");
  cluster.route = [](std::uint32_t from, std::uint32_t to) {
    return plan::Route{.kind = from / 2 == to / 2 ? CONVOY_ROUTE_NVLINK : CONVOY_ROUTE_SOCKET};
  };
  return cluster;
}

TEST(OverRoute, NamesWhatMakesCopiesUnlike) {
  const plan::Cluster cluster = pairs_on_sockets();
  EXPECT_EQ(over_route(cluster, {0, 1}), ", NVLink");
  EXPECT_EQ(over_route(cluster, {1, 2}), ", across sockets");
  const plan::Cluster processors = plan::make_single_host(2, true, "cpu");
  EXPECT_EQ(over_route(processors, {0, 1}), "");
  EXPECT_EQ(over_route(plan::Cluster{}, {0, 1}), "") << "nothing is known";
}

// Most pairs are joined by NVLink here; the one across sockets is as fast as such a route is.
TEST(OverRoute, KeepsRoutesApartThatNobodyForesees) {
  const plan::Cluster cluster = pairs_on_sockets();
  HostQualification host;
  const auto add = [&](const Ends& ends, double rate) {
    host.measurements.push_back({.kind = Kind::kLink,
                                 .subject = "copy",
                                 .what = "alone" + over_route(cluster, ends),
                                 .unit = "B/s",
                                 .rate = rate});
  };
  for (const Ends& ends : {Ends{0, 1}, {1, 0}, {2, 3}, {3, 2}}) add(ends, 40e9);
  add({1, 2}, 6e9);
  std::vector<HostQualification> hosts = {host};
  judge(hosts, 0.7);
  EXPECT_TRUE(all_pass(hosts));
}

TEST(CollectiveSizes, ReachAGibibyteOnAcceleratorsThatHaveRoom) {
  constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;
  EXPECT_EQ(collective_sizes(false, 0).back(), 64 * kMebibyte);
  EXPECT_EQ(collective_sizes(false, 8192 * kMebibyte).back(), 256 * kMebibyte);
  EXPECT_EQ(collective_sizes(false, 81920 * kMebibyte).back(), 1024 * kMebibyte);
  EXPECT_EQ(collective_sizes(true, 81920 * kMebibyte).back(), 8 * kMebibyte);
}

}  // namespace
}  // namespace convoy::qualify
