#include "core/simulate/memory_need.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/plan/cluster.hpp"

namespace convoy::simulate {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

MemoryNeed need(std::uint64_t buffers, std::uint64_t activations) {
  MemoryNeed result;
  result.buffers = buffers;
  result.activations = activations;
  return result;
}

// Two devices and a host with 1000 bytes.
SimulatedMachine two_devices(bool in_host_memory) {
  SimulatedMachine machine;
  for (int device = 0; device < 2; ++device) {
    SimulatedPlace place;
    place.device = 0;
    place.in_host_memory = in_host_memory;
    machine.places.push_back(place);
  }
  SimulatedPlace host;
  host.memory_bytes = 1000;
  machine.places.push_back(host);
  return machine;
}

TEST(MemoryProblem, OfAHostIsThatOfAllItsCpuDevices) {
  const Cluster cluster = make_single_host(2, true, "cpu");
  const SimulatedMachine machine = two_devices(true);
  EXPECT_THAT(memory_problem({need(400, 0), need(0, 500), {}}, cluster, machine), IsEmpty());
  EXPECT_THAT(memory_problem({need(400, 0), need(0, 500), need(200, 0)}, cluster, machine),
              HasSubstr("host:0 has"));
}

TEST(MemoryProblem, OfDevicesWithMemoryOfTheirOwnIsNotTheirHosts) {
  const Cluster cluster = make_single_host(2, true, "cuda");
  EXPECT_THAT(
      memory_problem({need(4000, 0), need(0, 5000), need(900, 0)}, cluster, two_devices(false)),
      IsEmpty());
}

}  // namespace
}  // namespace convoy::simulate
