// The manifest of a plug-in, which `convoy list` and `convoy info` show without running its code.
//
//   CONVOY_MANIFEST("kind=strategy", "name=my_scheme", "version=0.1.0",
//                   "description=Averages the gradients through one server.",
//                   "claim=synchronous",
//                   "option=server:int:0::Which device keeps the variables.",
//                   "option=mode:enum:fast:fast|safe:How much to check.",
//                   "variant=mode=fast", "variant=mode=safe,server=1",
//                   "needs=copy,sum,apply");
//
// abi (1.0), kind (strategy, model, device, transport) and name are required. CONVOY_MANIFEST adds
// the ABI; the entry point macros of strategy.hpp, model.hpp, device.hpp and transport.hpp add the
// kind.
// option=<name>:<type>:<default>:<allowed>:<help> may be repeated; types are bool, int, float,
// string and enum, allowed values are separated by '|' and may be empty.
// variant=<option>=<value>,... may be repeated, too: --variable_update=auto compares these variants
// of a strategy; without any it takes the defaults. auto=false excludes a strategy from auto, for
// example one that equals another strategy and has a second well-known name. needs lists the
// operations that the plug-in uses. The host refuses unknown keys, except keys that begin with
// "x-". Used once per plug-in, in any namespace, from C++17 on; a semicolon may follow.
#ifndef CONVOY_MANIFEST_HPP
#define CONVOY_MANIFEST_HPP

#include <convoy/abi/common.h>

#include <cstddef>
#include <string_view>

namespace convoy::manifest_detail {

// A struct around the bytes, because a constexpr function cannot return an array.
template <std::size_t kBytes>
struct ManifestText {
  char bytes[kBytes];
};

// Every entry with its terminating NUL, and the empty entry that ends the manifest.
template <std::size_t kEntries>
constexpr std::size_t manifest_bytes(const std::string_view (&entries)[kEntries]) {
  std::size_t bytes = 1;
  for (std::string_view entry : entries) bytes += entry.size() + 1;
  return bytes;
}

template <std::size_t kBytes, std::size_t kEntries>
constexpr ManifestText<kBytes> join_manifest(const std::string_view (&entries)[kEntries]) {
  ManifestText<kBytes> text{};
  std::size_t next = 0;
  for (std::string_view entry : entries) {
    for (char letter : entry) text.bytes[next++] = letter;
    ++next;
  }
  return text;
}

template <std::size_t kEntries>
constexpr bool has_key(const std::string_view (&entries)[kEntries], std::string_view key) {
  for (std::string_view entry : entries) {
    if (entry.size() > key.size() && entry.substr(0, key.size()) == key) return true;
  }
  return false;
}

template <std::size_t kEntries>
constexpr bool all_have_equals(const std::string_view (&entries)[kEntries]) {
  for (std::string_view entry : entries) {
    if (entry.find('=') == std::string_view::npos) return false;
  }
  return true;
}

static_assert(CONVOY_ABI_MAJOR == 1 && CONVOY_ABI_MINOR == 0, "the text below says 1.0");

}  // namespace convoy::manifest_detail

// The declaration comes first because a constant would otherwise have internal linkage.
#define CONVOY_MANIFEST(...)                                                                      \
  namespace {                                                                                     \
  constexpr std::string_view convoy_manifest_entries[] = {"abi=1.0", __VA_ARGS__};                \
  constexpr std::size_t convoy_manifest_size =                                                    \
      ::convoy::manifest_detail::manifest_bytes(convoy_manifest_entries);                         \
  static_assert(::convoy::manifest_detail::all_have_equals(convoy_manifest_entries),              \
                "every manifest entry is key=value");                                             \
  static_assert(::convoy::manifest_detail::has_key(convoy_manifest_entries, "kind="),             \
                "the manifest needs kind=strategy, model, device or transport");                  \
  static_assert(::convoy::manifest_detail::has_key(convoy_manifest_entries, "name="),             \
                "the manifest needs name=...");                                                   \
  static_assert(convoy_manifest_size <= 65536, "a manifest has at most 64 KiB");                  \
  }                                                                                               \
  extern "C" {                                                                                    \
  extern CONVOY_EXPORT const ::convoy::manifest_detail::ManifestText<convoy_manifest_size>        \
      convoy_plugin_manifest;                                                                     \
  }                                                                                               \
  CONVOY_MANIFEST_SECTION constexpr ::convoy::manifest_detail::ManifestText<convoy_manifest_size> \
      convoy_plugin_manifest =                                                                    \
          ::convoy::manifest_detail::join_manifest<convoy_manifest_size>(convoy_manifest_entries);

#endif
