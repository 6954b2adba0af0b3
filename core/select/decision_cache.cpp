#include "core/select/decision_cache.hpp"

#include <fmt/format.h>

#include "core/base/files/input_file.hpp"
#include "core/base/files/output_file.hpp"
#include "core/base/numbers/fnv.hpp"
#include "core/base/text/json.hpp"
#include "core/select/selection_json.hpp"

namespace convoy::select {
namespace {

constexpr int kSchemaVersion = 2;

std::uint64_t hash_of(const std::string& text) {
  Fnv1a64 hash;
  hash.add_bytes(text);
  return hash.value();
}

}  // namespace

std::string decision_checksum(const nlohmann::ordered_json& decision) {
  return fmt::format("{:016x}", hash_of(json_text(decision)));
}

DecisionCache::DecisionCache(std::filesystem::path folder, Tell tell)
    : folder_(std::move(folder)), tell_(std::move(tell)) {}

std::filesystem::path DecisionCache::file_of(const std::string& circumstances) const {
  // find() also compares the text, so hashes may collide.
  return folder_ / fmt::format("auto-{:016x}.json", hash_of(circumstances));
}

std::nullopt_t DecisionCache::unreadable(const std::filesystem::path& file,
                                         const std::string& problem) const {
  tell_(fmt::format("the choice stored in {} cannot be read ({}): choosing again", file.string(),
                    problem));
  return std::nullopt;
}

std::optional<Decision> DecisionCache::find(const std::string& circumstances) const {
  if (folder_.empty()) return std::nullopt;
  const std::filesystem::path file = file_of(circumstances);
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored)) return std::nullopt;
  const InputFile input = read_input_file(file);
  if (!input.problem.empty()) return unreadable(file, input.problem);
  try {
    const auto json = parse_ordered_json(input.bytes);
    if (json.at("schema_version") != kSchemaVersion) return std::nullopt;
    if (json.at("circumstances").get<std::string>() != circumstances) return std::nullopt;
    if (json.at("checksum") != decision_checksum(json.at("decision")))
      return unreadable(file, "its checksum is wrong: it is damaged");
    Decision decision = decision_from_json(json.at("decision"));
    decision.origin = DecisionOrigin::kRemembered;
    return decision;
  } catch (const nlohmann::json::exception& error) {
    return unreadable(file, json_problem(error));
  } catch (const std::exception& error) {
    return unreadable(file, error.what());
  }
}

void DecisionCache::remember(const std::string& circumstances, const Decision& decision) const {
  if (folder_.empty()) return;
  const std::filesystem::path file = file_of(circumstances);
  std::error_code problem;
  std::filesystem::create_directories(folder_, problem);
  if (problem)
    return tell_(
        fmt::format("the choice of a strategy cannot be stored in {}: {}; set CONVOY_CACHE_DIR to "
                    "a writable folder",
                    folder_.string(), problem.message()));
  try {
    const nlohmann::ordered_json remembered = to_json(decision);
    const nlohmann::ordered_json json = {{"schema_version", kSchemaVersion},
                                         {"circumstances", circumstances},
                                         {"checksum", decision_checksum(remembered)},
                                         {"decision", remembered}};
    write_output_file(file, json_text(json, 2) + "\n");
  } catch (const std::exception& error) {
    tell_(fmt::format("the choice of a strategy cannot be stored in {}: {}", file.string(),
                      error.what()));
  }
}

}  // namespace convoy::select
