#include "core/conformance/transport_conformance.hpp"

namespace convoy::conformance {

std::vector<TransportCase> transport_cases() {
  std::vector<TransportCase> cases;
  add_waiting_cases(cases);
  add_message_cases(cases);
  add_credit_cases(cases);
  add_refusal_cases(cases);
  add_ending_cases(cases);
  return cases;
}

}  // namespace convoy::conformance
