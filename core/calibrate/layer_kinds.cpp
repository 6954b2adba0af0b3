#include "core/calibrate/layer_kinds.hpp"

#include <convoy/abi.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "core/base/error.hpp"
#include "core/graph/layer_traits.hpp"

namespace convoy::calibrate {
namespace {

constexpr const char* kNone = "none";
constexpr std::array<const char*, 3> kPasses = {"forward", "backward_data", "backward_weights"};
static_assert(CONVOY_PASS_FORWARD == 0 && CONVOY_PASS_BACKWARD_DATA == 1 &&
              CONVOY_PASS_BACKWARD_WEIGHTS == 2);

}  // namespace

std::string layer_kind_name(std::uint32_t kind) {
  const graph::LayerTraits* traits = graph::find_layer_traits(kind);
  CONVOY_CHECK(kind == 0 || traits != nullptr);
  return kind == 0 ? kNone : traits->file_name;
}

std::optional<std::uint32_t> layer_kind_of(const std::string& name) {
  if (name == kNone) return 0;
  for (std::uint32_t kind = 1; kind <= graph::layer_kind_count(); ++kind)
    if (graph::find_layer_traits(kind)->file_name == name) return kind;
  return std::nullopt;
}

std::string pass_name(std::uint32_t pass) {
  return kPasses.at(pass);
}

std::optional<std::uint32_t> pass_of(const std::string& name) {
  const auto found = std::find(kPasses.begin(), kPasses.end(), name);
  if (found == kPasses.end()) return std::nullopt;
  return static_cast<std::uint32_t>(std::distance(kPasses.begin(), found));
}

}  // namespace convoy::calibrate
