// A folder of checkpoints: up to the first zero byte the marker file that lists them, behind it the
// metadata of one that it may name, as lines of name=value. Whichever is the newest says what it
// says, or is refused.
#include <unistd.h>

#include <fstream>

#include "core/checkpoint/checkpoint_directory.hpp"
#include "core/checkpoint/checkpoint_marker.hpp"
#include "core/checkpoint/safetensors_writer.hpp"
#include "core/runtime/state/checkpoint_facts.hpp"
#include "tests/fuzz/fuzz_input.hpp"

namespace {

namespace fs = std::filesystem;

// One for all inputs: making folders would be most of the time.
const fs::path& folder() {
  static const fs::path kPath = [] {
    fs::path made = fs::temp_directory_path() / ("checkpoint_fuzz_" + std::to_string(getpid()));
    fs::create_directories(made);
    return made;
  }();
  return kPath;
}

std::map<std::string, std::string> metadata_in(std::string_view text) {
  std::map<std::string, std::string> metadata;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    const std::size_t equals = std::min(line.find('='), line.size());
    metadata[std::string(line.substr(0, equals))] = line.substr(std::min(equals + 1, line.size()));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return metadata;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input = convoy::fuzz::as_text(data, size);
  const std::size_t zero = std::min(input.find('\0'), input.size());
  std::ofstream(folder() / convoy::checkpoint::kCheckpointMarker, std::ios::binary)
      << input.substr(0, zero);
  convoy::fuzz::expect_result_or_error([&] {
    const std::string name = convoy::checkpoint::checkpoint_name(7);
    fs::remove(folder() / name);
    if (zero < input.size())
      convoy::checkpoint::write_safetensors(folder() / name, metadata_in(input.substr(zero + 1)),
                                            {});
    convoy::checkpoint::CheckpointDirectory checkpoints(folder(), 5);
    const auto newest = checkpoints.open_newest([](const std::string&) {});
    if (newest == nullptr) return;
    const convoy::runtime::CheckpointFacts facts = convoy::runtime::read_facts(*newest);
    CONVOY_CHECK(facts.step >= 0 && facts.samples >= 0 && facts.loss_scale.scale > 0);
  });
  return 0;
}
