#include "core/runtime/deterministic.hpp"

#include "core/base/error.hpp"

namespace convoy::runtime {

void require_deterministic(std::string_view strategy, const CheckReport& check,
                           const std::vector<convoy_device_description>& devices) {
  // An approximate plan is as asynchronous as it would be without its roundings.
  if (check.verdict == Verdict::kAsynchronous || check.exact == Verdict::kAsynchronous) {
    fail(ExitCode::kUsage,
         "--deterministic does not go with --variable_update={}: its plan is {} with these "
         "options, so that parameters depend on which device is faster; leave out "
         "--deterministic or take a synchronous strategy",
         strategy, check.verdict_text());
  }
  for (const convoy_device_description& device : devices) {
    if ((device.flags & CONVOY_DEVICE_DETERMINISTIC) != 0) continue;
    fail(ExitCode::kUsage,
         "--deterministic: device {} ({}) does not promise the same bits for the same operations; "
         "leave out --deterministic or take another --device",
         device.name, device.model);
  }
}

}  // namespace convoy::runtime
