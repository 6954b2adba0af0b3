#include "core/network/stop_agreement.hpp"

#include <algorithm>

namespace convoy::network {

void StopAgreement::begin(int tasks) {
  takes_part_.assign(static_cast<std::size_t>(tasks), true);
  answered_.assign(static_cast<std::size_t>(tasks), false);
  waiting_.clear();
  current_.reset();
}

StopAgreement::Outcome StopAgreement::request(const StopRequest& request) {
  if (current_ && current_->reason == request.reason) return {};
  if (std::ranges::find(waiting_, request.reason) != waiting_.end()) return {};
  waiting_.push_back(request.reason);
  return next();
}

StopAgreement::Outcome StopAgreement::next() {
  if (current_ || waiting_.empty()) return {};
  current_ = StopProposal{++stops_, std::move(waiting_.front())};
  waiting_.pop_front();
  answered_.assign(answered_.size(), false);
  return *current_;
}

StopAgreement::Outcome StopAgreement::answer(int rank, const StopAnswer& answer) {
  if (!current_ || answer.stop != current_->stop) return {};
  answered_[static_cast<std::size_t>(rank)] = true;
  return settle();
}

StopAgreement::Outcome StopAgreement::leave(int rank) {
  takes_part_[static_cast<std::size_t>(rank)] = false;
  return current_ ? settle() : Outcome{};
}

StopAgreement::Outcome StopAgreement::settle() {
  for (std::size_t rank = 0; rank < takes_part_.size(); ++rank)
    if (takes_part_[rank] && !answered_[rank]) return {};
  const StopAgreed agreed{current_->stop};
  current_.reset();
  return agreed;
}

}  // namespace convoy::network
