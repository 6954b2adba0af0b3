#include "core/checkpoint/checkpoint_marker.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/base/files/input_file.hpp"
#include "core/base/text/json.hpp"
#include "core/base/text/number.hpp"
#include "core/checkpoint/durable_file.hpp"

namespace convoy::checkpoint {
namespace {

constexpr const char* kPrefix = "model-";
constexpr const char* kSuffix = ".safetensors";
constexpr const char* kNames = "newest_first";
constexpr const char* kLeaving = "leaving";
constexpr std::uintmax_t kLongestMarker = std::uintmax_t{1} << 20;  // bytes

// Returns the names of checkpoints; empty if the value is not a list of them.
std::optional<std::vector<std::string>> names_in(const nlohmann::json& names) {
  if (!names.is_array()) return std::nullopt;
  std::vector<std::string> result;
  for (const auto& name : names) {
    if (!name.is_string() || !checkpoint_step(name.get<std::string>())) return std::nullopt;
    result.push_back(name.get<std::string>());
  }
  return result;
}

// Returns null if the file does not hold JSON.
nlohmann::json document_in(const std::filesystem::path& path) {
  try {
    return parse_json(read_input_file(path, kLongestMarker).bytes);
  } catch (const nlohmann::json::exception&) {
    return nullptr;
  }
}

}  // namespace

std::string checkpoint_name(std::int64_t step) {
  return fmt::format("{}{}{}", kPrefix, step, kSuffix);
}

std::optional<std::int64_t> checkpoint_step(const std::string& name) {
  const std::string_view text(name);
  const std::string_view prefix(kPrefix);
  const std::string_view suffix(kSuffix);
  if (!text.starts_with(prefix) || !text.ends_with(suffix)) return std::nullopt;
  if (text.size() <= prefix.size() + suffix.size()) return std::nullopt;
  const auto step = parse_number<std::int64_t>(
      text.substr(prefix.size(), text.size() - prefix.size() - suffix.size()));
  return step && *step >= 0 ? step : std::nullopt;
}

std::optional<CheckpointMarker> read_checkpoint_marker(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / kCheckpointMarker;
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return std::nullopt;
  if (std::filesystem::file_size(path, error) > kLongestMarker || error) return std::nullopt;
  const nlohmann::json document = document_in(path);
  if (!document.is_object() || !document.contains(kNames)) return std::nullopt;
  const auto names = names_in(document.at(kNames));
  const auto leaving = names_in(document.value(kLeaving, nlohmann::json::array()));
  if (!names || !leaving) return std::nullopt;
  return CheckpointMarker{*names, *leaving};
}

void write_checkpoint_marker(const std::filesystem::path& folder, const CheckpointMarker& marker) {
  const nlohmann::ordered_json document = {
      {"format", "convoy checkpoints"}, {kNames, marker.newest_first}, {kLeaving, marker.leaving}};
  DurableFile file(folder / kCheckpointMarker);
  file.write(json_text(document, 2) + "\n");
  file.commit();
}

}  // namespace convoy::checkpoint
