#include "tests/strategies/variants.hpp"

#include <fmt/format.h>

namespace convoy::testing {
namespace {

void add_parameter_server(std::vector<Variant>& variants) {
  for (const std::string place : {"cpu", "gpu"}) {
    const plugin::OptionValues placed = {{"local_parameter_device", place}};
    Variant variant{.strategy = "parameter_server", .options = placed};
    variants.push_back(variant);
    variant.gradients_lag = 1;
    variant.options = placed;
    variant.options["variable_consistency"] = "relaxed";
    variants.push_back(variant);
    variant.parameters_lag = 1;
    variant.options["staged_vars"] = "true";
    variants.push_back(variant);
    variant.options.erase("variable_consistency");
    variants.push_back(variant);
  }
}

Variant replicated(plugin::OptionValues options, std::uint32_t fewest_devices = 1) {
  return {
      .strategy = "replicated", .options = std::move(options), .fewest_devices = fewest_devices};
}

// The ways of summing one pack.
std::vector<Variant> reducers() {
  std::vector<Variant> variants = {
      replicated({}),
      replicated({{"local_parameter_device", "cpu"}}),
      replicated({{"all_reduce_spec", "pscpu"}}),
      replicated({{"all_reduce_spec", "psgpu"}}),
      replicated({{"all_reduce_spec", "psgpu#2"}}, 2),
      replicated({{"all_reduce_spec", "psgpu#3"}}, 3),
      replicated({{"all_reduce_spec", "xring"}}),
      replicated({{"all_reduce_spec", "xring#2"}}, 2),
      replicated({{"all_reduce_spec", "xring#3"}}, 3),
      replicated({{"all_reduce_spec", "collective"}}),
      replicated({{"all_reduce_spec", "collective#2"}}),
      {.strategy = "replicated", .options = {{"all_reduce_spec", "nccl"}}, .device = "cuda"},
      replicated({{"hierarchical_copy", "true"}}, 2),
      replicated({{"hierarchical_copy", "true"}, {"network_topology", "gcp_v100"}}, 8),
  };
  variants.back().most_devices = 8;
  return variants;
}

// The ways of cutting the gradients into packs.
std::vector<plugin::OptionValues> packings() {
  return {{{"gradient_repacking", "1"}},
          {{"gradient_repacking", "3"}},
          {{"gradient_repacking", "1000"}},
          {{"agg_small_grads_max_bytes", "100"}, {"agg_small_grads_max_group", "2"}},
          {{"agg_small_grads_max_bytes", "1000000"}}};
}

}  // namespace

std::string Variant::name() const {
  std::string result = strategy;
  for (const auto& [option, value] : options) result += fmt::format(" {}={}", option, value);
  return result;
}

void PrintTo(const Variant& variant, std::ostream* stream) {
  *stream << variant.name();
}

std::vector<Variant> all_variants() {
  std::vector<Variant> variants;
  variants.push_back({.strategy = "independent", .exchange = false});
  add_parameter_server(variants);
  for (const Variant& reducer : reducers()) {
    variants.push_back(reducer);
    Variant relaxed = reducer;
    relaxed.options["variable_consistency"] = "relaxed";
    relaxed.gradients_lag = 1;
    variants.push_back(relaxed);
    for (const plugin::OptionValues& packing : packings()) {
      Variant packed = reducer;
      packed.options.insert(packing.begin(), packing.end());
      variants.push_back(packed);
    }
  }
  return variants;
}

}  // namespace convoy::testing
