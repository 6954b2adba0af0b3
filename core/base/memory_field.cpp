#include "core/base/memory_field.hpp"

#include "core/base/system_text.hpp"

namespace convoy {

// "MemTotal:  16266172 kB".
std::optional<std::uint64_t> memory_field(const SystemRoot& root, const char* name) {
  const auto value = value_of(root.text("proc/meminfo").value_or(""), name, ':');
  const auto kibibytes = leading_number(value.value_or(""));
  if (!kibibytes) return std::nullopt;
  return *kibibytes * 1024;
}

}  // namespace convoy
