#include "core/runtime/asynchronous/meeting.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace convoy::runtime {

void Meeting::hear() {
  if (events_.stop_requested && events_.stop_requested()) wants_to_stop_ = true;
  if (events_.save_requested && events_.save_requested()) wants_to_save_ = true;
  if (wants_to_stop_) ask_to_end();
  if (wants_to_save_) ask_to_pause();
}

std::optional<bool> Meeting::agreed(bool is_over, bool is_pause_due) {
  is_over = is_over || wants_to_stop_;
  is_pause_due = is_pause_due || wants_to_save_;
  if (peers_ == nullptr) return is_over || is_pause_due ? std::optional(is_over) : std::nullopt;
  if (is_over) ask_to_end();
  if (is_pause_due) ask_to_pause();
  return peers_->agreed_drain();
}

bool Meeting::someone_asked_to_save() {
  const bool own = std::exchange(wants_to_save_, false);
  if (peers_ == nullptr) return own;
  const std::vector<std::string> all = peers_->exchange(own ? "saves" : "");
  return std::ranges::count(all, "saves") > 0;
}

void Meeting::finish() {
  if (peers_ != nullptr) peers_->finish_drain();
  asked_to_pause_ = false;
}

void Meeting::ask_to_end() {
  if (peers_ != nullptr && !std::exchange(asked_to_end_, true)) peers_->request_drain(true);
}

void Meeting::ask_to_pause() {
  if (peers_ != nullptr && !std::exchange(asked_to_pause_, true)) peers_->request_drain(false);
}

}  // namespace convoy::runtime
