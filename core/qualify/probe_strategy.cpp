#include "core/qualify/probe_strategy.hpp"

#include <fmt/format.h>

#include <charconv>
#include <convoy/strategy.hpp>

namespace convoy::qualify {
namespace {

constexpr const char* kCopies = "copies";
constexpr const char* kElements = "elements";
constexpr const char* kAllReduces = "all_reduces";
constexpr const char* kTrains = "trains";

std::string text_of(const ProbedStep& step) {
  std::string text;
  for (const auto& [from, to] : step.copies) text += fmt::format("{} {} ", from, to);
  return text;
}

std::vector<std::uint32_t> numbers_of(const std::string& text) {
  std::vector<std::uint32_t> numbers;
  const char* const end = text.data() + text.size();
  for (const char* at = text.data(); at != end; ++at) {
    std::uint32_t number = 0;
    at = std::from_chars(at, end, number).ptr;
    numbers.push_back(number);
  }
  return numbers;
}

class ProbeStrategy : public Strategy {
 public:
  void plan(Planner& p) override {
    p.compute();
    if (p.flag(kTrains)) return train(p);
    const auto elements = static_cast<std::uint64_t>(p.integer(kElements));
    copy(p, elements);
    if (p.flag(kAllReduces)) all_reduce(p, elements);
    for (const Range range : p.buckets())
      for (const ReplicaId r : p.replicas())
        p.apply(p.parameters(r)[range], p.gradient(r)[range], {.contributions = 1});
  }

 private:
  static void train(Planner& p) {
    for (const Range range : p.buckets()) {
      if (p.replica_count() > 1) p.all_reduce(p.all_gradients(range));
      for (const ReplicaId r : p.replicas()) p.apply(p.parameters(r)[range], p.gradient(r)[range]);
    }
  }

  // Uses memory that lives from step to step, so that the copied data are defined from the first
  // step on.
  static void copy(Planner& p, std::uint64_t elements) {
    const std::vector<std::uint32_t> ends = numbers_of(p.option(kCopies));
    for (std::size_t i = 0; i + 1 < ends.size(); i += 2) {
      const Buffer from = p.persistent(PlaceId(ends[i]), elements);
      p.copy(p.persistent(PlaceId(ends[i + 1]), elements), from);
    }
  }

  static void all_reduce(Planner& p, std::uint64_t elements) {
    std::vector<Span> spans;
    for (const ReplicaId r : p.replicas())
      spans.push_back(p.persistent(p.replica_place(r), elements));
    p.all_reduce(spans);
  }
};

plugin::Manifest manifest_of_probes() {
  plugin::Manifest manifest;
  manifest.kind = plugin::PluginKind::kStrategy;
  manifest.name = "probe";
  manifest.options = {
      {.name = kCopies, .type = plugin::OptionType::kString},
      {.name = kElements, .type = plugin::OptionType::kInt, .default_value = "1"},
      {.name = kAllReduces, .type = plugin::OptionType::kBool, .default_value = "false"},
      {.name = kTrains, .type = plugin::OptionType::kBool, .default_value = "false"}};
  return manifest;
}

}  // namespace

std::unique_ptr<plugin::StrategyPlugin> probe_strategy(const ProbedStep& step) {
  return std::make_unique<plugin::StrategyPlugin>(
      plugin::LoadedPlugin<convoy_strategy>{&detail::StrategyTable<ProbeStrategy>::kTable,
                                            manifest_of_probes(), "built in"},
      plugin::OptionValues{{kCopies, text_of(step)},
                           {kElements, fmt::format("{}", step.elements)},
                           {kAllReduces, step.all_reduces ? "true" : "false"},
                           {kTrains, step.trains ? "true" : "false"}});
}

}  // namespace convoy::qualify
