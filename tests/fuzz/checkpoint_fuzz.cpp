// A folder of checkpoints: up to the first zero byte the marker file that lists them, behind it the
// metadata of one that it may name, as lines of name=value. Whichever is the newest says what it
// says, or is refused.
#include <cstring>

#include "core/checkpoint/checkpoint_directory.hpp"
#include "core/checkpoint/checkpoint_marker.hpp"
#include "core/runtime/state/checkpoint_facts.hpp"
#include "tests/fuzz/fuzz_input.hpp"

namespace {

using namespace convoy::checkpoint;

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

// A file with this metadata and no tensors.
std::string checkpoint_of(std::string_view metadata) {
  const std::string header = format_safetensors_header({metadata_in(metadata), {}});
  const std::uint64_t length = header.size();
  std::string bytes(sizeof length, '\0');
  std::memcpy(bytes.data(), &length, sizeof length);
  return bytes + header;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::vector<std::string> kNames = {kCheckpointMarker, checkpoint_name(7)};
  static convoy::fuzz::MemoryFolder folder(kNames);
  const std::string_view input = convoy::fuzz::as_text(data, size);
  const std::size_t zero = std::min(input.find('\0'), input.size());
  folder.write(kCheckpointMarker, input.substr(0, zero));
  convoy::fuzz::expect_result_or_error([&] {
    folder.write(checkpoint_name(7),
                 zero < input.size() ? checkpoint_of(input.substr(zero + 1)) : "");
    CheckpointDirectory checkpoints(folder.path(), 5);
    const auto newest = checkpoints.open_newest([](const std::string&) {});
    if (newest == nullptr) return;
    const convoy::runtime::CheckpointFacts facts = convoy::runtime::read_facts(*newest);
    CONVOY_CHECK(facts.step >= 0 && facts.samples >= 0 && facts.loss_scale.scale > 0);
  });
  return 0;
}
