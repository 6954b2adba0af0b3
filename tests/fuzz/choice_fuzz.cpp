// A choice of --variable_update=auto that an earlier run remembered: any bytes after the first one,
// with the checksum made right where there is a choice. If that byte is odd, they are rules of
// thumb instead.
#include "core/base/text/json.hpp"
#include "core/select/decision_cache.hpp"
#include "core/select/rule.hpp"
#include "core/select/selection_json.hpp"
#include "tests/fuzz/fuzz_input.hpp"

namespace {

using namespace convoy::select;

constexpr const char* kCircumstances = "here";

std::string with_checksum(std::string_view bytes) {
  try {
    nlohmann::ordered_json document = convoy::parse_ordered_json(bytes);
    document["checksum"] = decision_checksum(document.at("decision"));
    return convoy::json_text(document);
  } catch (const nlohmann::json::exception&) {
    return std::string(bytes);
  }
}

// What cannot be read is as good as not there.
void read_choice(std::string_view bytes) {
  static const auto kTell = [](const std::string&) {};
  static const std::vector<std::string> kNames = {DecisionCache({}, kTell).file_of(kCircumstances)};
  static convoy::fuzz::MemoryFolder folder(kNames);
  static const DecisionCache kCache(folder.path(), kTell);
  folder.write(kNames.front(), with_checksum(bytes));
  const std::optional<Decision> decision = kCache.find(kCircumstances);
  if (!decision) return;
  CONVOY_CHECK(decision->origin == DecisionOrigin::kRemembered);
  CONVOY_CHECK(decision_from_json(to_json(*decision)) == *decision);
  CONVOY_CHECK(!decision_line(*decision).empty() && expected_step_seconds(*decision) >= 0);
}

void read_rules(std::string_view bytes) {
  static convoy::fuzz::MemoryFile file;
  file.write(bytes);
  const SelectionRules rules = SelectionRules::read(file.path());
  for (const bool on_host_processors : {false, true}) {
    SelectionFacts facts;
    facts.on_host_processors = on_host_processors;
    facts.gradient_megabytes = 100;
    const Selection chosen = rules.choose(facts, [](const std::string&) { return true; });
    CONVOY_CHECK(chosen.flags.contains("variable_update"));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes = convoy::fuzz::as_text(data + 1, size - 1);
  convoy::fuzz::expect_result_or_error(
      [&] { return data[0] % 2 == 1 ? read_rules(bytes) : read_choice(bytes); });
  return 0;
}
