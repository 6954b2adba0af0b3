#pragma once

#include <string>
#include <vector>

#include "core/qualify/measurement.hpp"

namespace convoy::qualify {

// What is to be reached at least: what was foreseen less its error, but a twentieth of it at least.
double least_rate(const Foreseen& foreseen);

// Holds every rate of all hosts against the least_rate() of what was foreseen of it, and against
// its likes: rates of the same kind of all hosts, each relative to what was foreseen of it where
// that is known of all, so that links of different widths can be compared. Sets likes, share, slow
// (share below the threshold), reasons and the hosts' scores, and sorts the hosts, the slowest
// first.
void judge(std::vector<HostQualification>& hosts, double threshold);

bool all_pass(const std::vector<HostQualification>& hosts);

// What is slow as sentences, the worst first: "host7: cpu:1: matrix product at 43 % of what others
// reach; ...", "... at 48 % of what is foreseen, 65 % of the least that its error of 25 % leaves".
std::vector<std::string> slow_sentences(const std::vector<HostQualification>& hosts);

}  // namespace convoy::qualify
