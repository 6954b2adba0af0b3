#pragma once

#include <string>

namespace convoy {

// Small valid inputs of the fuzzers that read bytes of convoy's own making.

// A shared library that has a plug-in's manifest and nothing else; the manifest's text.
std::string plugin_file();
std::string plugin_manifest();

// The header and the data of a file of two tensors, without the header's length.
std::string safetensors_body();
// A marker that names a checkpoint, and that one's metadata, as checkpoint_fuzz takes them.
std::string checkpoint_input();

// A task that joins, and the roster that answers it.
std::string join_message();
std::string roster_message();

// The two messages that are expected, one of them in two pieces, and credit for the one that is
// sent, as frames_fuzz takes them.
std::string frames_input();

}  // namespace convoy
