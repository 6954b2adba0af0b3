#include "core/qualify/measurement.hpp"

#include <array>
#include <utility>

namespace convoy::qualify {
namespace {

constexpr std::array kNames = {
    std::pair{Kind::kDevice, "device"},     std::pair{Kind::kCore, "core"},
    std::pair{Kind::kLink, "link"},         std::pair{Kind::kCollective, "collective"},
    std::pair{Kind::kStorage, "storage"},   std::pair{Kind::kDecoding, "decoding"},
    std::pair{Kind::kTraining, "training"},
};

}  // namespace

const char* kind_name(Kind kind) {
  for (const auto& [each, name] : kNames)
    if (each == kind) return name;
  return "";
}

std::optional<Kind> kind_named(const std::string& name) {
  for (const auto& [kind, each] : kNames)
    if (each == name) return kind;
  return std::nullopt;
}

}  // namespace convoy::qualify
