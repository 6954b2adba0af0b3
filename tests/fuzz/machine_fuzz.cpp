// A machine's description: any bytes, as XML of hwloc or NCCL, JSON or nvidia-smi's text, whichever
// they look like. What is read must be a machine that can be shown and written in every form; which
// form is tried, the input's length says.
#include <sstream>

#include "core/base/error.hpp"
#include "tests/fuzz/fuzz_input.hpp"
#include "topology/read/machine_json.hpp"
#include "topology/read/nccl_reader.hpp"
#include "topology/read/read_machine.hpp"
#include "topology/write/hwloc_writer.hpp"
#include "topology/write/print_machine.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  convoy::fuzz::expect_result_or_error([&] {
    using namespace convoy::topology;
    const Machine machine = parse_machine(convoy::fuzz::as_text(data, size), "fuzz");
    for (std::size_t i = 0; i < machine.nodes.size(); ++i)
      CONVOY_CHECK(machine.nodes[i].parent.value_or(0) <= i);
    std::ostringstream text;
    switch (size % 5) {
      case 0:
        return print_machine(text, machine);
      case 1:
        return print_sources(text, machine);
      case 2:
        text << machine_html(machine);
        return;  // with the picture in it
      case 3:
        text << write_nccl_dump(machine, Catalogue());
        return;
      default:
        text << write_hwloc_xml(machine);
        return;
    }
  });
  return 0;
}
