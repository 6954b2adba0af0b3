#pragma once

#include <chrono>
#include <string_view>

namespace convoy::cli {

// Writes to a descriptor and waits for its reader. Once the process is asked to end, it no longer
// waits long.
class PatientWriter {
 public:
  using Ending = bool (*)();  // returns whether the process is asked to end
  PatientWriter(int descriptor, Ending ending) : descriptor_(descriptor), ending_(ending) {}

  // Returns false if the text was not written to its end. Once the wait for a reader was given up,
  // the rest of the text and all later texts are discarded at once.
  bool write(std::string_view text);

 private:
  bool await_reader();

  const int descriptor_;
  const Ending ending_;
  std::chrono::nanoseconds waited_{0};  // time since the process was asked to end
  bool gave_up_ = false;
};

// From now on, standard output and standard error, as streams of C and of C++, are written by
// PatientWriter. Then a reader that holds a full pipe and does not read it
// (`convoy run | sleep 1000`), or a terminal stopped by Ctrl-S, does not keep a process from ending
// that a signal asks to end. To be called before anything is written.
void let_standard_streams_end();

}  // namespace convoy::cli
