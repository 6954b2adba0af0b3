#include "core/network/stop_agreement.hpp"

#include <algorithm>

namespace convoy::network {
namespace {

// Steps from the newest known one to the proposed one: one is under way and one is queued behind
// it.
constexpr std::int64_t kAhead = 2;

}  // namespace

void StopAgreement::begin(int tasks) {
  takes_part_.assign(static_cast<std::size_t>(tasks), true);
  accepted_.assign(static_cast<std::size_t>(tasks), false);
  waiting_.clear();
  current_.reset();
  newest_step_ = 0;
}

StopAgreement::Outcome StopAgreement::propose(std::int64_t step) {
  current_->step = step;
  accepted_.assign(accepted_.size(), false);
  return *current_;
}

StopAgreement::Outcome StopAgreement::request(const StopRequest& request,
                                              std::int64_t newest_step) {
  newest_step_ = std::max(newest_step_, newest_step);
  // An interrupt reaches every task of a terminal: they all ask for the same.
  const auto same = [&](const StopRequest& other) {
    return other.kind == request.kind && other.reason == request.reason &&
           other.at_least == request.at_least;
  };
  if (current_ && current_->kind == request.kind && current_->reason == request.reason &&
      request.at_least <= current_->step)
    return {};
  if (std::ranges::any_of(waiting_, same)) return {};
  waiting_.push_back(request);
  return current_ ? Outcome{} : next();
}

StopAgreement::Outcome StopAgreement::next() {
  if (current_ || waiting_.empty()) return {};
  const StopRequest request = waiting_.front();
  waiting_.pop_front();
  current_ = StopProposal{++stops_, request.kind, 0, request.reason};
  return propose(std::max(request.at_least, newest_step_ + kAhead));
}

StopAgreement::Outcome StopAgreement::answer(int rank, const StopAnswer& answer) {
  newest_step_ = std::max(newest_step_, answer.submitted);
  if (!current_ || answer.stop != current_->stop || answer.step != current_->step) return {};
  if (!answer.accepted) return propose(std::max(current_->step, answer.submitted) + kAhead);
  accepted_[static_cast<std::size_t>(rank)] = true;
  return settle();
}

StopAgreement::Outcome StopAgreement::leave(int rank) {
  takes_part_[static_cast<std::size_t>(rank)] = false;
  return current_ ? settle() : Outcome{};
}

StopAgreement::Outcome StopAgreement::settle() {
  for (std::size_t rank = 0; rank < takes_part_.size(); ++rank)
    if (takes_part_[rank] && !accepted_[rank]) return {};
  const StopAgreed agreed{current_->stop, current_->step};
  newest_step_ = std::max(newest_step_, current_->step);
  current_.reset();
  return agreed;
}

}  // namespace convoy::network
