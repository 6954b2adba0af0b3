#include "core/cli/standard_streams.hpp"

#include <poll.h>
#include <unistd.h>
#include <ext/stdio_sync_filebuf.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <iostream>

#include "core/cli/interrupt.hpp"

namespace convoy::cli {
namespace {

ssize_t write_through(void* writer, const char* text, std::size_t size) {
  const bool written = static_cast<PatientWriter*>(writer)->write({text, size});
  return written ? static_cast<ssize_t>(size) : 0;
}

// Streams of C++ write through those of C, so that their lines keep their order. All of these
// objects live as long as the process.
void write_by(PatientWriter& writer, int mode, std::FILE*& of_c, std::ostream& of_cpp) {
  std::FILE* const file = ::fopencookie(&writer, "w", {nullptr, write_through, nullptr, nullptr});
  if (file == nullptr) return;  // the streams stay as they were
  std::setvbuf(file, nullptr, mode, BUFSIZ);
  of_c = file;
  of_cpp.rdbuf(new __gnu_cxx::stdio_sync_filebuf<char>(file));
}

}  // namespace

// A pipe that is ready takes PIPE_BUF bytes without blocking.
bool PatientWriter::write(std::string_view text) {
  while (!text.empty()) {
    if (!await_reader()) return false;
    const ssize_t count =
        ::write(descriptor_, text.data(), std::min<std::size_t>(text.size(), PIPE_BUF));
    if (count >= 0)
      text.remove_prefix(static_cast<std::size_t>(count));
    else if (errno != EINTR && errno != EAGAIN)
      return false;
  }
  return true;
}

bool PatientWriter::await_reader() {
  constexpr int kLook = 50;  // milliseconds between two looks at the signal
  constexpr std::chrono::milliseconds kForSlowReaders{250};
  pollfd output{descriptor_, POLLOUT, 0};
  while (!gave_up_) {
    const auto begin = std::chrono::steady_clock::now();
    const int found = ::poll(&output, 1, kLook);
    // On an error, write() will report it.
    if (found > 0 || (found < 0 && errno != EINTR)) return true;
    if (ending_()) waited_ += std::chrono::steady_clock::now() - begin;
    gave_up_ = waited_ > kForSlowReaders;
  }
  return false;
}

void let_standard_streams_end() {
  static PatientWriter output(STDOUT_FILENO, &InterruptGuard::is_ending);
  static PatientWriter error(STDERR_FILENO, &InterruptGuard::is_ending);
  write_by(output, ::isatty(STDOUT_FILENO) == 1 ? _IOLBF : _IOFBF, stdout, std::cout);
  write_by(error, _IONBF, stderr, std::cerr);
}

}  // namespace convoy::cli
