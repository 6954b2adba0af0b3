#include "core/calibrate/layer_kinds.hpp"

#include <convoy/abi.h>

#include <algorithm>
#include <array>
#include <iterator>

namespace convoy::calibrate {
namespace {

constexpr std::array<const char*, CONVOY_LAYER_PAD_CHANNELS + 1> kKinds = {"none",
                                                                           "input",
                                                                           "convolution",
                                                                           "fully_connected",
                                                                           "batch_norm",
                                                                           "relu",
                                                                           "max_pool",
                                                                           "average_pool",
                                                                           "add",
                                                                           "concat",
                                                                           "dropout",
                                                                           "local_response_norm",
                                                                           "softmax_cross_entropy",
                                                                           "mean_loss",
                                                                           "pad_channels"};
constexpr std::array<const char*, 3> kPasses = {"forward", "backward_data", "backward_weights"};
static_assert(CONVOY_PASS_FORWARD == 0 && CONVOY_PASS_BACKWARD_DATA == 1 &&
              CONVOY_PASS_BACKWARD_WEIGHTS == 2);

template <typename Names>
std::optional<std::uint32_t> index_of(const Names& names, const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<std::uint32_t>(std::distance(names.begin(), found));
}

}  // namespace

std::string layer_kind_name(std::uint32_t kind) {
  return kKinds.at(kind);
}

std::optional<std::uint32_t> layer_kind_of(const std::string& name) {
  return index_of(kKinds, name);
}

std::string pass_name(std::uint32_t pass) {
  return kPasses.at(pass);
}

std::optional<std::uint32_t> pass_of(const std::string& name) {
  return index_of(kPasses, name);
}

}  // namespace convoy::calibrate
