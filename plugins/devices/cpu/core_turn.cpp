#include "plugins/devices/cpu/core_turn.hpp"

#include <map>
#include <mutex>

namespace convoy::cpu {

void CoreTurn::take(bool& has_it) {
  if (has_it) return;
  free_.acquire();
  has_it = true;
}

void CoreTurn::give_back(bool& has_it) {
  if (!has_it) return;
  has_it = false;
  free_.release();
}

std::shared_ptr<CoreTurn> shared_core_turn(std::uint32_t core) {
  static std::mutex mutex;
  static std::map<std::uint32_t, std::weak_ptr<CoreTurn>> turns;
  const std::lock_guard lock(mutex);
  std::shared_ptr<CoreTurn> turn = turns[core].lock();
  if (!turn) {
    turn = std::make_shared<CoreTurn>();
    turns[core] = turn;
  }
  return turn;
}

}  // namespace convoy::cpu
