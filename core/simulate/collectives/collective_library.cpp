#include "core/simulate/collectives/collective_library.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.hpp"

namespace convoy::simulate {

const char* name(Protocol protocol) {
  static constexpr std::array<const char*, kProtocols> kNames = {"LL", "LL128", "Simple"};
  return kNames.at(static_cast<std::size_t>(protocol));
}

const char* name(CollectiveAlgorithm algorithm) {
  static constexpr std::array<const char*, kCollectiveAlgorithms> kNames = {"ring", "tree", "NVLS",
                                                                            "rails", "SHARP"};
  return kNames.at(static_cast<std::size_t>(algorithm));
}

const CollectiveGeneration& CollectiveLibrary::generation(std::string_view of) const {
  CONVOY_CHECK(!generations.empty());
  for (const CollectiveGeneration& it : generations)
    if (std::find(it.names.begin(), it.names.end(), of) != it.names.end()) return it;
  return generations.front();
}

const CollectiveGeneration& CollectiveLibrary::generation(
    const std::vector<std::string_view>& of) const {
  const CollectiveGeneration* oldest = &generations.back();
  for (const std::string_view it : of) oldest = std::min(oldest, &generation(it));
  return *oldest;
}

std::string CollectiveLibrary::described(std::string_view generation_name) const {
  const CollectiveGeneration& it = generation(generation_name);
  return it.library.empty() ? fmt::format("{} ({})", name, source)
                            : fmt::format("{} ({})", it.library, it.library_source);
}

}  // namespace convoy::simulate
