#pragma once

#include <chrono>
#include <string_view>

namespace convoy::cli {

// Writes to a descriptor and waits for whoever reads it; once the process is asked to end, not for
// long.
class PatientWriter {
 public:
  using Ending = bool (*)();  // whether the process is asked to end
  PatientWriter(int descriptor, Ending ending) : descriptor_(descriptor), ending_(ending) {}

  // False if the text could not be written to its end. Once nobody has read, the rest of a text and
  // all that follows it are lost at once.
  bool write(std::string_view text);

 private:
  bool await_reader();

  const int descriptor_;
  const Ending ending_;
  std::chrono::nanoseconds waited_{0};  // since the process is asked to end
  bool gave_up_ = false;
};

// From now on standard output and standard error, as streams of C and of C++, are written so.
// Whoever holds a full pipe and does not read it (`convoy run | sleep 1000`), or stops a terminal
// by Ctrl-S, keeps no process from ending that a signal asks to. To be called before anything is
// written.
void let_standard_streams_end();

}  // namespace convoy::cli
