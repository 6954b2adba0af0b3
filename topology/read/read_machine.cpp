#include "topology/read/read_machine.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/base/error.hpp"
#include "core/base/files/input_file.hpp"
#include "topology/graph/machine_notes.hpp"
#include "topology/read/hwloc_reader.hpp"
#include "topology/read/machine_json.hpp"
#include "topology/read/nccl_reader.hpp"
#include "topology/read/nvidia_smi_reader.hpp"

namespace convoy::topology {
namespace {

// Reads a text that another program wrote; returns nothing if it is none of the known formats.
std::optional<Machine> read_foreign(std::string_view text, std::string_view content,
                                    const std::string& source) {
  if (content.front() == '<') {
    const bool is_dump = content.find("<system") != std::string_view::npos &&
                         content.find("<topology") == std::string_view::npos;
    return is_dump ? read_nccl_dump(text, source) : read_hwloc_xml(text, source);
  }
  if (content.find("ROCm System Management") != std::string_view::npos)
    fail(ExitCode::kUsage,
         "{}: the text of rocm-smi, which does not say where network cards are; write lstopo's XML "
         "(lstopo --of xml) or RCCL's dump (NCCL_TOPO_DUMP_FILE)",
         source);
  if (content.find("GPU0") != std::string_view::npos) return read_nvidia_smi(text, source);
  return std::nullopt;
}

}  // namespace

Machine parse_machine(std::string_view text, const std::string& source) {
  const std::size_t first = std::min(text.find_first_not_of(" \t\r\n\xef\xbb\xbf"), text.size());
  const std::string_view content = text.substr(first);
  if (content.empty())
    fail(ExitCode::kUsage, "{}: empty; write it with lstopo --of xml or convoy topo --json",
         source);
  if (content.front() == '{') return read_machine_json(content, source);
  if (std::optional<Machine> machine = read_foreign(text, content, source)) {
    add_notes(*machine);
    return *std::move(machine);
  }
  fail(ExitCode::kUsage,
       "{}: neither lstopo's XML, an NCCL topology dump, the text of nvidia-smi topo -m, nor a "
       "machine of convoy topo --json; write one of these",
       source);
}

Machine read_machine(const std::filesystem::path& file) {
  const InputFile input = read_input_file(file);
  if (!input.problem.empty())
    fail(ExitCode::kUsage, "{}: cannot be read: {}; name a file that describes a machine",
         file.string(), input.problem);
  return parse_machine(input.bytes, file.string());
}

}  // namespace convoy::topology
