// A file of the catalogue: any bytes after the first one, which says which of the three it is: the
// devices, the hosts or the libraries of collectives. The others have one entry each.
#include "core/simulate/machine/described_constants.hpp"
#include "core/simulate/machine/read_collective_library.hpp"
#include "tests/fuzz/fuzz_input.hpp"
#include "tests/fuzz/text_seeds.hpp"

namespace {

using namespace convoy::topology;

const std::vector<std::string> kDevicesAndHosts = {"devices.json", "hosts.json"};

void read_catalogue(const std::filesystem::path& folder) {
  const Catalogue catalogue = Catalogue::read(folder);
  for (const DeviceEntry& device : catalogue.devices())
    CONVOY_CHECK(!convoy::simulate::simulated_device(device).name.empty());
  for (const HostEntry& host : catalogue.hosts())
    CONVOY_CHECK(convoy::simulate::simulated_host(host).pcie_efficiency >= 0);
  CONVOY_CHECK(!catalogue.fallback_host().name.empty());
}

void read_collectives(std::string_view bytes) {
  static convoy::fuzz::MemoryFile file;
  file.write(bytes);
  const auto library = convoy::simulate::read_collective_library(file.path());
  CONVOY_CHECK(!library->generation("of none").names.empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::vector<std::string> kSmall = {convoy::catalogue_text(kDevicesAndHosts[0]),
                                                  convoy::catalogue_text(kDevicesAndHosts[1])};
  static convoy::fuzz::MemoryFolder folder(kDevicesAndHosts);
  if (size == 0) return 0;
  const std::string_view bytes = convoy::fuzz::as_text(data + 1, size - 1);
  convoy::fuzz::expect_result_or_error([&] {
    if (data[0] % 3 == 2) return read_collectives(bytes);
    for (std::size_t i = 0; i < kDevicesAndHosts.size(); ++i)
      folder.write(kDevicesAndHosts[i], data[0] % 3 == i ? bytes : kSmall[i]);
    read_catalogue(folder.path());
  });
  return 0;
}
