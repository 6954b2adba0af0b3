#include "plugins/devices/cuda/graphs/graph_eligibility.hpp"

#include <map>
#include <stdexcept>

namespace convoy::cuda {

GraphMode graph_mode(const std::string& option) {
  if (option == "on") return GraphMode::kOn;
  if (option == "off" || option == "auto" || option.empty()) return GraphMode::kOff;
  throw std::invalid_argument("cuda_graph=" + option + ": it must be auto, on or off");
}

std::string replay_remark(const Obstacles& forward, const Obstacles& backward) {
  std::map<std::string, std::size_t> reasons;
  std::size_t total = 0;
  std::size_t replayed = 0;
  for (const Obstacles* pass : {&forward, &backward})
    for (const std::string& obstacle : *pass) {
      ++total;
      if (obstacle.empty())
        ++replayed;
      else
        ++reasons[obstacle];
    }
  std::string text = "CUDA graphs replay " + std::to_string(replayed) + " of " +
                     std::to_string(total) + " layer operations of a step";
  for (const auto& [reason, count] : reasons)
    text += "; not " + std::to_string(count) + ": " + reason;
  return text;
}

}  // namespace convoy::cuda
