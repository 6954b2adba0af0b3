#pragma once

// The data about the cluster and the model that a strategy gets, and the options of its operations.

#include <convoy/abi.h>
#include <convoy/ids.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace convoy {

using Range = convoy_range;  // elements of the arena, or of any buffer

// Types of elements. Parameters, gradients and masters are kF32.
enum class Dtype : std::uint32_t {
  kF32 = CONVOY_F32,
  kF16 = CONVOY_F16,
  kBf16 = CONVOY_BF16,
  kI32 = CONVOY_I32,
  kU8 = CONVOY_U8,
};

// The algorithm of a collective.
enum class Algorithm : std::uint32_t {
  kDevice = CONVOY_ALGORITHM_DEVICE,  // the devices choose: shared memory, NCCL ...
  kRing = CONVOY_ALGORITHM_RING,
  kTree = CONVOY_ALGORITHM_TREE,
  kDirect = CONVOY_ALGORITHM_DIRECT,
  kTwoLevel = CONVOY_ALGORITHM_TWO_LEVEL,      // inside every host, then between hosts
  kDeviceOnly = CONVOY_ALGORITHM_DEVICE_ONLY,  // as kDevice, but refused without device collectives
};

enum class Reduction : std::uint32_t {
  kSum = CONVOY_REDUCE_SUM,
  kMin = CONVOY_REDUCE_MIN,
  kMax = CONVOY_REDUCE_MAX,
};

enum class PlaceKind : std::uint32_t {
  kDevice = CONVOY_PLACE_DEVICE,
  kHost = CONVOY_PLACE_HOST,
};

enum class RouteKind : std::uint32_t {
  kUnknown = CONVOY_ROUTE_UNKNOWN,
  kSameMemory = CONVOY_ROUTE_SAME_MEMORY,
  kSharedMemory = CONVOY_ROUTE_SHARED_MEMORY,
  kNvlink = CONVOY_ROUTE_NVLINK,
  kPcieSwitch = CONVOY_ROUTE_PCIE_SWITCH,
  kPcieHostBridge = CONVOY_ROUTE_PCIE_HOST_BRIDGE,
  kSocket = CONVOY_ROUTE_SOCKET,
  kNetwork = CONVOY_ROUTE_NETWORK,
};

struct PlaceInfo {
  PlaceKind kind;
  std::uint32_t host;
  std::optional<ReplicaId> replica;   // device places: the replica that runs there
  std::optional<PlaceId> near_place;  // device places: the host place it is attached to
  std::string name;                   // "cpu:0", "host:0"
};

struct RouteInfo {
  RouteKind kind;
  bool peer_access;                           // the target's device addresses the source directly
  double bytes_per_second;                    // 0 = unknown
  std::optional<std::uint32_t> shared_group;  // routes of one group share their slowest link
};

enum class VariableKind : std::uint32_t {
  kUnknown = CONVOY_VARIABLE_UNKNOWN,
  kWeights = CONVOY_VARIABLE_WEIGHTS,  // multiplies inputs
  kOffsets = CONVOY_VARIABLE_OFFSETS,  // is added, one per channel
  kScales = CONVOY_VARIABLE_SCALES,    // multiplies, one per channel
  kValues = CONVOY_VARIABLE_VALUES,    // learned inputs: tokens, positions
};

// The sides of a row-major matrix, in elements.
struct MatrixShape {
  std::uint64_t rows;
  std::uint64_t columns;
  std::uint64_t elements() const { return rows * columns; }
};

// Hardware that replicas may share, see Planner::groups().
enum class Sharing : std::uint32_t {
  kHost = CONVOY_SHARES_HOST,
  kNuma = CONVOY_SHARES_NUMA,      // the nearest host memory: a NUMA node, else a socket's
  kSwitch = CONVOY_SHARES_SWITCH,  // a PCI Express switch, and so the link above it
  kNvlink = CONVOY_SHARES_NVLINK,  // NVLink between every two, not through another GPU
};

struct VariableInfo {
  Range range;             // in the arena, padding included
  std::uint64_t elements;  // without padding
  std::uint64_t layer;     // the layer that reads it
  std::string name;
  VariableKind kind;
  std::vector<std::uint64_t> dimensions;  // OIHW, OI or N; empty where the host does not say
  // Its storage as a matrix from the range's first element on, with the smallest rows + columns;
  // none for a variable of one dimension.
  std::optional<MatrixShape> matrix;
};

struct CollectiveOptions {
  Algorithm algorithm = Algorithm::kDevice;
  Reduction reduction = Reduction::kSum;
};

struct CopyOptions {
  bool relaxed = false;                      // the values read may lag
  std::uint64_t max_lag = CONVOY_UNBOUNDED;  // in steps, when relaxed
};

struct MatmulOptions {
  bool transposes_a = false;  // a is stored [k, m]
  bool transposes_b = false;  // b is stored [n, k]
  std::uint64_t batch = 1;    // number of products; their matrices follow each other in memory
};

struct ApplyOptions {
  std::uint64_t contributions = 0;  // replica gradients in the sum; 0 = one per replica
  bool any_order = false;           // commutes with other such updates of the same elements
};

struct ComputeOptions {
  SetId parameters_set{};
  SetId gradient_set{};
  bool relaxed = false;                      // parameters may lag
  std::uint64_t max_lag = CONVOY_UNBOUNDED;  // in steps, when relaxed
};

// The effect of a plug-in's kernel on sums of gradients. The checker relies on this declaration.
// All but kUndeclared need reads and writes of equal count.
enum class CallEffect : std::uint32_t {
  kUndeclared = CONVOY_CALL_UNDECLARED,  // the writes depend on the reads; nothing more is known
  kSums = CONVOY_CALL_SUMS,              // every write is the sum of the reads
  kCompresses = CONVOY_CALL_COMPRESSES,  // every write represents that sum; the rest is lost
  kKeepsRest = CONVOY_CALL_KEEPS_REST,   // write 0 represents the sum, write 1 is the rest
};

// The cost of a plug-in's kernel, for the simulator, and its effect, for the checker.
struct CallOptions {
  std::uint64_t bytes = 0;  // of memory traffic
  std::uint64_t flops = 0;
  CallEffect effect = CallEffect::kUndeclared;
  // Passed to a kernel with a context (Strategy::kernel), which defines their meaning.
  double scalar = 0;
  std::array<std::uint64_t, 4> sizes = {};
};

}  // namespace convoy
