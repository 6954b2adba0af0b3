#pragma once

#include <cstdint>
#include <memory>
#include <semaphore>

namespace convoy::cpu {

// Devices that share a core take turns: one keeps computing until it has to wait for somebody. If
// the system switched between them every few milliseconds, each would find the caches filled with
// another's activations. Nothing that a device runs waits for another device while it has the turn.
class CoreTurn {
 public:
  // Blocks until nobody else has the turn; nothing when the caller has it. One caller per device.
  void take(bool& has_it);
  void give_back(bool& has_it);

 private:
  std::binary_semaphore free_{1};
};

// The turn of a core (an index) of this process; it lives as long as somebody holds it.
std::shared_ptr<CoreTurn> shared_core_turn(std::uint32_t core);

}  // namespace convoy::cpu
