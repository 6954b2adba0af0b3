// A plug-in's file: any bytes after the first one. If that is odd, they are the text of a manifest
// instead.
#include <cstring>

#include "core/base/error.hpp"
#include "core/plugin/elf_manifest.hpp"
#include "core/plugin/manifest.hpp"
#include "tests/fuzz/fuzz_input.hpp"

namespace {

std::string manifest_text(std::string_view bytes) {
  const auto read = [bytes](std::uint64_t offset, void* to, std::size_t count) {
    CONVOY_CHECK(offset <= bytes.size() && count <= bytes.size() - offset);
    std::memcpy(to, bytes.data() + offset, count);
  };
  return convoy::plugin::read_manifest_section({bytes.size(), read});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes = convoy::fuzz::as_text(data + 1, size - 1);
  try {
    const convoy::plugin::Manifest manifest = convoy::plugin::parse_manifest(
        data[0] % 2 == 1 ? std::string(bytes) : manifest_text(bytes));
    for (const convoy::plugin::OptionDeclaration& option : manifest.options)
      convoy::plugin::checked_option_value(option, option.default_value);
  } catch (const convoy::plugin::ManifestError&) {
    return 0;  // refused, as it should be
  }
  return 0;
}
