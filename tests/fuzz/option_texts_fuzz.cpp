// Texts that options take and that say more than a number or a name: any bytes, each read as every
// one of them, and as the environment's choice of GPUs.
#include <stdexcept>

#include "core/plugin/manifest.hpp"
#include "core/train/evaluation_schedule.hpp"
#include "core/train/learning_rate_options.hpp"
#include "plugins/strategies/all_reduce_spec.hpp"
#include "tests/fuzz/fuzz_input.hpp"
#include "topology/catalogue/platform.hpp"
#include "topology/detect/gpu_selection.hpp"

namespace {

using convoy::fuzz::expect_result_or_error;

void read_schedules(const std::string& text) {
  expect_result_or_error([&] {
    const auto rates = convoy::train::parse_piecewise(text);
    CONVOY_CHECK(rates.epochs.size() == rates.rates.size());
  });
  expect_result_or_error([&] {
    for (const std::int64_t step : convoy::train::parse_step_list("steps", text))
      CONVOY_CHECK(step > 0);
  });
  expect_result_or_error([&] {
    for (const double epoch : convoy::train::parse_epoch_list("epochs", text))
      CONVOY_CHECK(epoch > 0);
  });
}

void read_machine(const std::string& text) {
  expect_result_or_error([&] {
    if (const auto hosts = convoy::topology::hosts_of_platform(text))
      CONVOY_CHECK(*hosts >= 1 && *hosts <= 4096);
  });
  if (const auto id = convoy::topology::parse_pci_id(text))
    CONVOY_CHECK(convoy::topology::parse_pci_id(convoy::topology::format_pci_id(*id)));
}

void read_options(const std::string& text) {
  using convoy::plugin::OptionType;
  for (const OptionType type : {OptionType::kBool, OptionType::kInt, OptionType::kFloat,
                                OptionType::kString, OptionType::kEnum})
    try {
      const convoy::plugin::OptionDeclaration option{.name = "option", .type = type};
      const std::string value = convoy::plugin::checked_option_value(option, text);
      CONVOY_CHECK(convoy::plugin::checked_option_value(option, value) == value);
    } catch (const std::invalid_argument&) {
      continue;  // refused, as it should be
    }
  try {
    for (const auto& range : convoy_strategies::parse_all_reduce_spec(text))
      CONVOY_CHECK(range.shards >= 1 && range.limit >= -1);
  } catch (const std::invalid_argument&) {
    return;  // refused, as it should be
  }
}

// Of two GPUs, one of them in parts.
void choose_gpus(const std::string& text) {
  using namespace convoy::topology;
  const DriverGpu whole{.address = {0, 1, 0, 0}, .uuid = "GPU-a1b2", .model = "one"};
  DriverGpu split{.address = {0, 2, 0, 0}, .uuid = "GPU-a3c4", .model = "two", .split = true};
  split.slices = {{.uuid = "MIG-d5"}, {.uuid = "MIG-d6", .gpu_instance = 1}};
  const std::vector<DriverGpu> gpus = {whole, split};
  for (const GpuVariables& variables :
       {GpuVariables{.visible = text}, GpuVariables{.visible = text, .order = "PCI_BUS_ID"},
        GpuVariables{.container = text}}) {
    for (const ChosenGpu& chosen : select_gpus(variables, gpus).chosen) {
      CONVOY_CHECK(chosen.gpu < gpus.size());
      CONVOY_CHECK(chosen.slice.value_or(0) < 2);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(convoy::fuzz::as_text(data, size));
  read_schedules(text);
  read_machine(text);
  read_options(text);
  choose_gpus(text);
  return 0;
}
