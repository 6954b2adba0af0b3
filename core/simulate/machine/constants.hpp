#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace convoy::simulate {

struct CollectiveLibrary;
class LayerRates;

// What a kind of device can do, whatever model it trains and whatever machine it is in. Rates are
// per second, times in seconds; 0 in a rate or size is "unknown" and limits nothing, except where a
// comment says otherwise. Filled from the device catalogue or a calibration.
struct SimulatedDevice {
  std::string name;                    // "Tesla P100-SXM2-16GB"
  std::string generation;              // "pascal": what the collective library knows of it
  double flops_per_second = 0;         // peak of f32, two per multiply-add; needed for layer times
  double half_flops_per_second = 0;    // peak of the 16-bit type; 0 = as f32
  double tf32_flops_per_second = 0;    // peak of f32 with factors rounded to TF32; 0 = as f32
  double memory_bytes_per_second = 0;  // peak; needed for layer times
  std::uint64_t memory_bytes = 0;
  std::uint64_t reserved_bytes = 0;  // of it: driver context, libraries, workspace

  double flops_efficiency = 0.6;    // what convolutions reach of the peak
  double memory_efficiency = 0.75;  // what element-wise kernels reach of the memory's rate
  double kernel_seconds = 5e-6;     // from one kernel's end to the next one's start, at least
  // Winograd and FFT: how many times faster than their operations say 3x3 and 5x5 stride-1
  // convolutions are.
  double gain_3x3 = 1;
  double gain_5x5 = 1;
  // Layers of networks, where published rates tell more of them: in f32 instead of the efficiencies
  // above; 0 = as these.
  double layer_flops_efficiency = 0;
  double layer_memory_efficiency = 0;
  double narrow_channels = 0;  // with so many, products reach half of what wide ones do
  // In TF32 and the 16-bit type with matrix units, whose products are limited by how fast factors
  // come: so many operations per byte of the memory's peak, besides their own; 0 = as in f32.
  double tensor_memory_efficiency = 0;
  double tensor_operations_per_byte = 0;
  // Measured times of layers, in place of the constants above; null: not measured.
  std::shared_ptr<const LayerRates> layer_rates;

  std::uint32_t copy_engines = 2;  // 1: copies in and out take turns
  // CPU devices: one engine serves all lanes, one operation at a time, and memory is the host's.
  bool one_engine = false;

  // Collectives (NCCL or the like): the part of its rate that one reaches while layers run, by how
  // much layers take longer meanwhile, whether it starts only between two kernels, its fixed cost.
  double collective_progress = 1;
  double collective_tax = 0;
  bool waits_for_kernel = true;
  double collective_seconds = 8e-6;

  // Compute rate with 1, 2, ... busy devices on a board (one power budget, one memory), relative to
  // the first; more than there are entries count as the last.
  std::vector<double> board_rates = {1.0};
};

// What a kind of host adds: how much of the links' raw rates transfers reach, and its own work.
struct SimulatedHost {
  std::string name;
  double pcie_efficiency = 0.76;  // 12 of 15.75 GB/s: NCCL's planning value for generation 3 x16
  double nvlink_efficiency = 0.9;
  double socket_efficiency = 1;
  double network_efficiency = 0.92;  // TCP
  double rdma_efficiency = 0.96;     // cards that move bytes themselves
  // Capacity of links whose rate is unknown, by kind.
  double unknown_pcie_bytes_per_second = 12e9;
  double unknown_socket_bytes_per_second = 6e9;  // Broadwell's QPI in NCCL
  double unknown_network_bytes_per_second = 1.15e9;

  double memory_bytes_per_second = 60e9;  // one package's, where the machine does not say
  // Rate of element-wise work of the host: bytes read and written by sums and updates per second,
  // all NUMA nodes together.
  double add_bytes_per_second = 30e9;
  std::uint64_t memory_bytes = 0;  // all NUMA nodes together, where the machine does not say

  // Input: 0 cores = input is never the limit.
  std::uint32_t input_cores = 0;
  double decoded_images_per_core = 130;  // JPEG of ImageNet's size with distortions, per second
  // Part of the add rate that is left while images are decoded.
  double add_share_while_decoding = 1;

  // Latency of one step of a single ring or tree over a link.
  double nvlink_hop_seconds = 1e-6;
  double pcie_hop_seconds = 3e-6;
  double network_hop_seconds = 10e-6;
  // What a thread that serves a network card takes per step of a ring between hosts, at least.
  double proxy_seconds = 1e-6;
  // What a byte from device to device over the processor's root ports counts in a collective.
  double root_overhead = 1;
};

// In which order the fetches of variables are queued that could all start at once.
enum class FetchOrder {
  kPlanned,  // by earliest need, as the host's own executor does
  kForward,
  kReverse,
  kRandom  // forward but for fetch_disorder, per device, from the seed
};

// How the program behaves that runs the plan: convoy's own, or another one whose published speeds
// are to be reproduced. Named in every prediction.
struct SoftwareProfile {
  std::string name = "convoy";
  std::string source;  // where the figures come from
  FetchOrder fetch_order = FetchOrder::kPlanned;
  // Random order: by what part of all fetches one may come too late.
  double fetch_disorder = 1;
  bool step_barrier = false;             // a step starts when all of the one before has ended
  bool bucket_per_variable = false;      // moves and reduces every variable by itself
  double copy_seconds = 6e-6;            // cost of every copy besides its bytes
  double host_operation_seconds = 2e-6;  // of every sum or update on a host
  double add_bytes_per_second = 0;       // most that its sums on a host reach; 0 = the host's rate
  // Bytes that a sum on a host moves per byte of its total, besides reading and writing each once:
  // 2 for a separate pass that scales it.
  double extra_sum_traffic = 0;
  // Real data. The rate of a pass over all images of a step that a host makes before its devices
  // start (0 = none), and what starting a collective takes more per device while the threads that
  // start it decode, too.
  double input_pass_bytes_per_second = 0;
  double decoding_collective_seconds = 0;
  double straggler_sigma = 0.004;  // relative deviation of a device's step
  // The library that devices reduce with; null: one ring, at the links' rates, without protocols.
  std::shared_ptr<const CollectiveLibrary> collectives;
  bool rings_follow_links = true;  // that one ring is a good one; else devices in their order

  // Between hosts: rate of its RPC per host and direction (0 = the network's), cost per transfer,
  // part of the RPC's rate that is left while a device of the host computes, and the network's loss
  // per further sender to one receiver (in-cast): capacity / (1 + loss * (senders - 1)).
  double rpc_bytes_per_second = 0;
  double rpc_seconds = 30e-6;
  double network_progress = 1;
  double incast_loss = 0;
};

}  // namespace convoy::simulate
