// A file that describes a platform: any bytes, for one host or, if their number is odd, for three.
// What is read must be a machine that can be shown.
#include <sstream>

#include "tests/fuzz/fuzz_input.hpp"
#include "topology/catalogue/platform.hpp"
#include "topology/write/print_machine.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace convoy::topology;
  static const std::filesystem::path kShare = std::filesystem::path(CONVOY_SOURCE_DIR) / "share";
  static const Catalogue kCatalogue = Catalogue::read(kShare / "catalogue");
  static convoy::fuzz::MemoryFile file;
  file.write(convoy::fuzz::as_text(data, size));
  const std::uint32_t hosts = size % 2 == 1 ? 3 : 1;
  convoy::fuzz::expect_result_or_error([&] {
    const Platform platform =
        read_platform(kShare / "platforms", file.path().string(), hosts, kCatalogue);
    std::ostringstream text;
    print_machine(text, platform.machine);
    print_sources(text, platform.machine);
  });
  return 0;
}
