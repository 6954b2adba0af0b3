#pragma once

#include <string>
#include <string_view>

namespace convoy::shm {

// The address by which tasks of one machine find each other: the machine (its boot, the network
// namespace, the user) and the name of an abstract UNIX socket, which ends with its process.
struct Address {
  std::string machine;
  std::string socket;
};

// Returns the text that must be equal for two tasks to share memory. Throws std::runtime_error when
// the system does not provide it.
std::string this_machine();

// Returns a socket name that cannot be guessed.
std::string random_socket_name();

std::string to_text(const Address& address);
// Throws std::invalid_argument when the text is no address of this transport.
Address parse_address(std::string_view text);

}  // namespace convoy::shm
