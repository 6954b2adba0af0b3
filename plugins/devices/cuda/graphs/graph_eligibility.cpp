#include "plugins/devices/cuda/graphs/graph_eligibility.hpp"

#include <stdexcept>

namespace convoy::cuda {

GraphMode graph_mode(const std::string& option) {
  if (option == "on") return GraphMode::kOn;
  if (option == "off" || option == "auto" || option.empty()) return GraphMode::kOff;
  throw std::invalid_argument("cuda_graph=" + option + ": it must be auto, on or off");
}

std::string graph_remark(GraphMode mode, std::uint32_t devices, bool profiled) {
  if (mode == GraphMode::kOff) return {};
  if (profiled) return "CUDA graphs are off: --profile looks between the layers";
  std::string whole = "from the fifth step on, CUDA graphs replay every step as one launch";
  if (devices < 2) return whole;
  return whole +
         ", unless devices exchange something: then a graph begins where an operation waits for "
         "another device or lane, and ends where another waits for it; collectives of NCCL are "
         "launched by themselves";
}

}  // namespace convoy::cuda
