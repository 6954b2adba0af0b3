#include "core/data/cifar10/pickle.hpp"

#include "core/base/error.hpp"
#include "core/data/cifar10/pickle_machine.hpp"

namespace convoy::data {

Pickle::Pickle(std::string_view bytes, const std::filesystem::path& path) {
  if (bytes.size() < 2 || bytes[0] != '\x80') {
    fail(ExitCode::kFailed, "{}: not a pickle of protocol 2 or later ({} bytes)", path.string(),
         bytes.size());
  }
  if (bytes.size() > kLargestPickle) {
    fail(ExitCode::kFailed, "{}: a pickle of {} bytes; at most {} are accepted", path.string(),
         bytes.size(), kLargestPickle);
  }
  root_ = PickleMachine(bytes, path, *this).run();
}

}  // namespace convoy::data
