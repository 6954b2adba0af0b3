#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace convoy::simulate {

struct CollectiveLibrary;
class LayerRates;

// The properties of a kind of device, which depend neither on the model nor on the machine. Rates
// are per second, times are in seconds. A rate or size of 0 is unknown and limits nothing, unless a
// comment says otherwise. The values come from the device catalogue or from a calibration.
struct SimulatedDevice {
  std::string name;                    // "Tesla P100-SXM2-16GB"
  std::string generation;              // "pascal": the name of its entry in a collective library
  double flops_per_second = 0;         // peak of f32, two per multiply-add; needed for layer times
  double half_flops_per_second = 0;    // peak of the 16-bit type; 0 = as f32
  double tf32_flops_per_second = 0;    // peak of f32 with factors rounded to TF32; 0 = as f32
  double memory_bytes_per_second = 0;  // peak; needed for layer times
  std::uint64_t memory_bytes = 0;
  std::uint64_t reserved_bytes = 0;  // part of it: driver context, libraries, workspace

  double flops_efficiency = 0.6;    // part of the peak that convolutions reach
  double memory_efficiency = 0.75;  // part of the memory's rate that element-wise kernels reach
  double kernel_seconds = 5e-6;     // at least, from one kernel's end to the next one's start
  // How many times faster 3x3 and 5x5 convolutions of stride 1 are with Winograd or FFT than their
  // number of operations says.
  double gain_3x3 = 1;
  double gain_5x5 = 1;
  // The same for the layers of networks in f32, if published rates of networks tell them; 0 = the
  // efficiencies above.
  double layer_flops_efficiency = 0;
  double layer_memory_efficiency = 0;
  double narrow_channels = 0;  // with this many channels, products reach half the rate of wide ones
  // The same in TF32 and the 16-bit type. There, matrix units also wait for the factors of
  // products, so the memory limits products to tensor_operations_per_byte operations per byte of
  // its peak rate. 0 = as in f32.
  double tensor_memory_efficiency = 0;
  double tensor_operations_per_byte = 0;
  // The measured times of layers, which replace the constants above; null if there are none.
  std::shared_ptr<const LayerRates> layer_rates;

  std::uint32_t copy_engines = 2;  // 1: copies in and out take turns
  // True for CPU devices: one engine serves all lanes, one operation at a time, and the memory is
  // the host's.
  bool one_engine = false;

  // Collectives (NCCL or the like): the part of its rate that a collective reaches while layers
  // run, how much longer layers take meanwhile, whether a collective starts only between two
  // kernels, and its fixed cost.
  double collective_progress = 1;
  double collective_tax = 0;
  bool waits_for_kernel = true;
  double collective_seconds = 8e-6;

  // The compute rate with 1, 2, ... busy devices on a board (one power budget, one memory),
  // relative to one busy device. With more devices than entries, the last entry counts.
  std::vector<double> board_rates = {1.0};
};

// The properties of a kind of host: the parts of the links' raw rates that transfers reach, and the
// rates of the host's own work.
struct SimulatedHost {
  std::string name;
  double pcie_efficiency = 0.76;  // 12 of 15.75 GB/s: NCCL's planning value for generation 3 x16
  double nvlink_efficiency = 0.9;
  double socket_efficiency = 1;
  double network_efficiency = 0.92;  // TCP
  double rdma_efficiency = 0.96;     // cards that move bytes without the processor
  // The capacity of links whose rate is unknown, by kind.
  double unknown_pcie_bytes_per_second = 12e9;
  double unknown_socket_bytes_per_second = 6e9;  // Broadwell's QPI in NCCL
  double unknown_network_bytes_per_second = 1.15e9;

  double memory_bytes_per_second = 60e9;  // of one package, if the machine does not state it
  // The bytes per second that sums and updates on the host read and write, all NUMA nodes together.
  double add_bytes_per_second = 30e9;
  std::uint64_t memory_bytes = 0;  // all NUMA nodes together, if the machine does not state it

  // The cores that decode images; with 0 cores, input never limits a step.
  std::uint32_t input_cores = 0;
  double decoded_images_per_core = 130;  // per second; JPEG of ImageNet's size, with distortions
  // The part of add_bytes_per_second that is left while images are decoded.
  double add_share_while_decoding = 1;

  // The latency of one step of a single ring or tree over a link.
  double nvlink_hop_seconds = 1e-6;
  double pcie_hop_seconds = 3e-6;
  double network_hop_seconds = 10e-6;
  // The least time that a thread serving a network card takes for a step of a ring between hosts.
  double proxy_seconds = 1e-6;
  // How many bytes a byte counts for in a collective when it goes from device to device over the
  // processor's root ports.
  double root_overhead = 1;
  // The most devices of a collective library that address each other's memory over the processor's
  // root ports. If there are more, they exchange data through host memory.
  double peers_over_root = 0;
  // The most devices for which one process starts collectives.
  double devices_per_process = std::numeric_limits<double>::infinity();
};

// The order in which fetches of variables are queued when all of them could start at once.
enum class FetchOrder {
  kPlanned,  // by earliest need, as the host's own executor does
  kForward,
  kReverse,
  kRandom  // forward, but disturbed by fetch_disorder, per device, from the seed
};

// The behaviour of the program that runs the plan: convoy itself, or another program whose
// published speeds are reproduced. Every prediction names it.
struct SoftwareProfile {
  std::string name = "convoy";
  std::string source;  // where the figures come from
  FetchOrder fetch_order = FetchOrder::kPlanned;
  // For the random order: a fetch may be late by this part of all fetches.
  double fetch_disorder = 1;
  bool step_barrier = false;             // a step starts when the whole previous step has ended
  bool bucket_per_variable = false;      // every variable is moved and reduced by itself
  double copy_seconds = 6e-6;            // fixed cost of every copy
  double host_operation_seconds = 2e-6;  // fixed cost of every sum or update on a host
  double add_bytes_per_second = 0;       // highest rate of its sums on a host; 0 = the host's rate
  // The bytes that a sum on a host moves for each byte of its result, in addition to reading and
  // writing everything once: 2 if a separate pass scales the result.
  double extra_sum_traffic = 0;
  // Real data. The rate of a pass that a host makes over all images of a step before its devices
  // start (0 = no such pass), and the time that starting a collective takes longer per device while
  // the starting threads also decode.
  double input_pass_bytes_per_second = 0;
  double decoding_collective_seconds = 0;
  double straggler_sigma = 0.004;  // relative deviation of the steps of a device
  // The library that devices reduce with. If null, they use one ring at the links' rates, without
  // protocols.
  std::shared_ptr<const CollectiveLibrary> collectives;
  // Whether the one ring follows the links. Otherwise, it takes devices in their order.
  bool rings_follow_links = true;

  // Between hosts: the rate of the RPC per host and direction (0 = the network's), the fixed cost
  // of a transfer, the part of the RPC's rate that is left while a device of the host computes, and
  // the network's loss for each further sender to one receiver (in-cast): capacity / (1 + loss *
  // (senders - 1)).
  double rpc_bytes_per_second = 0;
  double rpc_seconds = 30e-6;
  double network_progress = 1;
  double incast_loss = 0;
};

}  // namespace convoy::simulate
