#pragma once

#include <string>
#include <vector>

#include "core/qualify/measurement.hpp"

namespace convoy::qualify {

// Returns the rate that must be reached: the expected rate minus its error, but at least a
// twentieth of it.
double least_rate(const ExpectedRate& expected);

// Compares every rate of all hosts with the least_rate() of its expected rate, and with its peers:
// the rates of the same kind on all hosts. If all peers have expected rates, rates relative to
// these are compared, so that links of different widths are comparable. Sets peers, share, slow
// (share below the threshold), reasons and the hosts' scores, and sorts the hosts, the slowest
// first.
void judge(std::vector<HostQualification>& hosts, double threshold);

bool all_pass(const std::vector<HostQualification>& hosts);

// Returns sentences about slow rates, the worst first: "host7: cpu:1: matrix product at 43 % of
// what others reach; ...", "... at 48 % of the expected rate, 65 % of the minimum that its error of
// 25 % leaves".
std::vector<std::string> slow_sentences(const std::vector<HostQualification>& hosts);

}  // namespace convoy::qualify
