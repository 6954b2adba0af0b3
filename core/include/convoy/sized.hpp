// Structs that carry their size and grow at their end (rule 2 of convoy/abi.h). Either side uses
// these functions to read and answer structs of the other side, which may be older or newer. The
// host and the wrappers use them; plug-ins that use the C headers directly may, too.
#ifndef CONVOY_SIZED_HPP
#define CONVOY_SIZED_HPP

#include <convoy/abi/common.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>

namespace convoy {

// The side that reads or answers. It decides which remedy the text of a refusal names.
enum class Side { kHost, kPlugin };

// A struct of the other side that cannot be used. The text says why and what to do.
class UnusableStruct : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

namespace sized_detail {

// All structs are smaller; a size from here on means that struct_size was not set.
constexpr std::uint64_t kImpossibleSize = 65536;

inline std::string abi_version() {
  return "plug-in ABI " + std::to_string(CONVOY_ABI_MAJOR) + "." + std::to_string(CONVOY_ABI_MINOR);
}

inline std::string what_to_do(Side reader) {
  return reader == Side::kHost
             ? "the plug-in was built for a newer convoy: update convoy, or build the plug-in with "
               "this one's headers"
             : "this convoy uses something that the plug-in was not built for: take a newer "
               "version of the plug-in, or leave out the option or layer that needs it";
}

inline void require_size(std::uint64_t size, std::uint64_t known, const char* name) {
  if (size >= sizeof(size) && size % 8 == 0 && size < kImpossibleSize) return;
  throw UnusableStruct("struct_size of " + std::string(name) + " is " + std::to_string(size) +
                       "; in " + abi_version() + " it is " + std::to_string(known) +
                       ": was it set?");
}

inline void require_nothing_newer(const void* given, std::uint64_t size, std::uint64_t known,
                                  const char* name, Side reader) {
  const auto* bytes = static_cast<const unsigned char*>(given);
  for (std::uint64_t i = known; i < size; ++i) {
    if (bytes[i] == 0) continue;
    throw UnusableStruct("byte " + std::to_string(i) + " of " + name +
                         " is set, which is newer than " + abi_version() + " (" +
                         std::to_string(known) + " bytes); " + what_to_do(reader));
  }
}

template <typename Struct>
Struct known_part(const Struct& given) {
  Struct known{};
  std::memcpy(static_cast<void*>(&known), static_cast<const void*>(&given),
              std::min<std::uint64_t>(given.struct_size, sizeof(Struct)));
  known.struct_size = sizeof(Struct);
  return known;
}

}  // namespace sized_detail

// An empty struct of this side's size, to fill in and pass to the other side.
template <typename Struct>
Struct make_sized() {
  Struct made{};
  made.struct_size = sizeof(Struct);
  return made;
}

// A copy of the struct in this side's size; missing fields are zero. Throws UnusableStruct when the
// struct uses a field that this side does not know.
template <typename Struct>
Struct read_sized(const Struct& given, const char* name, Side reader) {
  const std::uint64_t size = given.struct_size;
  sized_detail::require_size(size, sizeof(Struct), name);
  sized_detail::require_nothing_newer(&given, size, sizeof(Struct), name, reader);
  return sized_detail::known_part(given);
}

// Whether the struct can be read where it is: it has every field that this side knows. Throws
// UnusableStruct like read_sized.
template <typename Struct>
bool readable_in_place(const Struct& given, const char* name, Side reader) {
  const std::uint64_t size = given.struct_size;
  sized_detail::require_size(size, sizeof(Struct), name);
  sized_detail::require_nothing_newer(&given, size, sizeof(Struct), name, reader);
  return size >= sizeof(Struct);
}

// Throws UnusableStruct when a flag, kind or reserved field is not among those that this side
// knows.
inline void require_known(bool is_known, const char* what, std::uint64_t value, Side reader) {
  if (is_known) return;
  throw UnusableStruct(std::string(what) + " is " + std::to_string(value) +
                       ", which is unknown to " + sized_detail::abi_version() + "; " +
                       sized_detail::what_to_do(reader));
}

// A table of functions in this side's size: missing slots are null, unknown ones are left out.
// Throws UnusableStruct when the size was not set.
template <typename Table>
Table read_table(const Table& given, const char* name) {
  sized_detail::require_size(given.struct_size, sizeof(Table), name);
  return sized_detail::known_part(given);
}

// Writes an answer into the struct of the calling side: as many bytes as it has room for, and zeros
// in its further fields. Throws UnusableStruct when the size was not set.
template <typename Struct>
void answer_sized(Struct& asked, const Struct& answer, const char* name) {
  constexpr std::uint64_t kHead = sizeof(asked.struct_size);
  const std::uint64_t size = asked.struct_size;
  sized_detail::require_size(size, sizeof(Struct), name);
  const std::uint64_t common = std::min<std::uint64_t>(size, sizeof(Struct));
  auto* to = reinterpret_cast<unsigned char*>(&asked);
  std::memcpy(to + kHead, reinterpret_cast<const unsigned char*>(&answer) + kHead, common - kHead);
  if (size > common) std::memset(to + common, 0, size - common);
}

}  // namespace convoy

#endif
