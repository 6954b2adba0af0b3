#include "core/base/input_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace convoy {
namespace {

std::string reason() {
  return errno == EISDIR ? "it is a folder" : std::strerror(errno);
}

// Appends what comes next, so that there are no more than `most`; false at the end, or with errno
// where it cannot be read.
bool read_piece(int descriptor, std::size_t most, std::string& bytes) {
  char piece[1 << 14];
  const ssize_t count = ::read(descriptor, piece, std::min(sizeof(piece), most - bytes.size()));
  if (count > 0) bytes.append(piece, static_cast<std::size_t>(count));
  if (count == 0) errno = 0;
  return count > 0;
}

// Without room for it: one byte beyond a large limit would double the memory.
bool has_more(int descriptor) {
  char next = 0;
  return ::read(descriptor, &next, 1) > 0;
}

}  // namespace

InputFile read_input_file(const std::filesystem::path& path, std::size_t most) {
  InputFile file;
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return {{}, reason()};
  while (file.bytes.size() < most && read_piece(descriptor, most, file.bytes)) continue;
  if (file.bytes.size() < most && errno != 0)
    file.problem = reason();
  else if (file.bytes.size() == most && has_more(descriptor))
    file.problem = fmt::format("it has more than {} bytes", most);
  ::close(descriptor);
  if (!file.problem.empty()) file.bytes.clear();
  return file;
}

}  // namespace convoy
