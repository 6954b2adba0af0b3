#pragma once

#include <convoy/abi.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "core/graph/graph.hpp"
#include "core/plugin/device_plugin.hpp"
#include "core/runtime/session.hpp"

namespace convoy::testing {

// How a small model is trained on CUDA devices.
struct CudaTraining {
  std::string gpus = "0,0";
  std::string strategy = "replicated";
  plugin::OptionValues options = {{"all_reduce_spec", "collective"}};
  std::string cuda_graph = "off";
  std::uint32_t optimizer = CONVOY_OPTIMIZER_SGD;
  std::uint32_t batch = 2;
  std::int64_t steps = 4;
  bool evaluates = false;  // twice on the way, with its values of then
};

struct CudaOutcome {
  std::string hash;
  std::vector<double> losses;
  std::vector<double> top_1;  // of evaluations
  bool has_collectives = false;
  std::vector<std::string> log;
  // Of the last two steps, where devices are emulated: launches of graphs, everything else that
  // streams were given, and how often a thread waited for a stream that it gave something.
  std::array<std::uint64_t, 3> launches{};
};

// Why devices on these GPUs cannot be had on this machine; empty when they can.
std::string why_no_gpus(const std::string& gpu_indices);

CudaOutcome train_on(const CudaTraining& how, const graph::Graph& graph);

// What an emulated device counts its launches in; to be called before the plug-in is loaded.
std::array<std::atomic<std::uint64_t>, 3>& emulated_launches();

}  // namespace convoy::testing
