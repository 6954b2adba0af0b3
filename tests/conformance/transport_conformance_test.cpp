#include "core/conformance/transport_conformance.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cctype>
#include <cerrno>
#include <set>
#include <tuple>

#include "core/base/error.hpp"
#include "core/plugin/library.hpp"

namespace convoy::conformance {
namespace {

using ::testing::HasSubstr;

plugin::PluginHost& transport_host() {
  static plugin::PluginHost plugins;
  return plugins;
}

plugin::TransportPlugin transport_of(const std::string& file,
                                     const plugin::OptionValues& options = {}) {
  return {transport_host().load_transport(plugin::read_plugin(file)), options};
}

TransportCase transport_case(const std::string& name) {
  for (const TransportCase& it : transport_cases())
    if (it.group + ": " + it.name == name) return it;
  throw std::out_of_range("no case " + name);
}

CaseResult with_fault(const std::string& fault, const std::string& name, double patience) {
  return run_forked(transport_of(CONVOY_TEST_PLUGINS "/faulty_transport.so", {{"fault", fault}}),
                    transport_case(name), patience);
}

std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const TransportCase& it : transport_cases()) names.push_back(it.group + ": " + it.name);
  return names;
}

std::string as_test_name(std::string text) {
  for (char& letter : text)
    if (std::isalnum(static_cast<unsigned char>(letter)) == 0) letter = '_';
  return text;
}

TEST(TransportCases, HaveNamesOfTheirOwn) {
  const std::vector<std::string> names = all_names();
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
  EXPECT_GT(names.size(), 35u);
}

class Transports : public testing::TestWithParam<std::tuple<std::string, std::string>> {};

TEST_P(Transports, HaveNothingWrong) {
  const auto& [file, name] = GetParam();
  const bool direct = file.find("two_copies") == std::string::npos;
  const plugin::TransportPlugin plugin =
      file == "plain_socket" ? transport_of(CONVOY_TEST_PLUGINS "/plain_socket.so")
      : file == "grpc"       ? transport_of(CONVOY_OWN_PLUGINS "/convoy_transport_grpc.so",
                                            {{"grpc_checksum", "true"}})
                             : transport_of(CONVOY_OWN_PLUGINS "/convoy_transport_shm.so",
                                            {{"shm_direct", direct ? "true" : "false"}});
  const CaseResult result = run_forked(plugin, transport_case(name), 60);
  if (file == "plain_socket" && name == "waiting: for the descriptor")
    EXPECT_EQ(result.outcome, Outcome::kUnsupported) << result.text;
  else
    EXPECT_EQ(result.outcome, Outcome::kRight) << result.text;
}

INSTANTIATE_TEST_SUITE_P(All, Transports,
                         testing::Combine(testing::Values("grpc", "plain_socket", "shm",
                                                          "shm_two_copies"),
                                          testing::ValuesIn(all_names())),
                         [](const auto& it) {
                           return as_test_name(std::get<0>(it.param) + "_" + std::get<1>(it.param));
                         });

struct TransportFault {
  std::string fault;
  std::string name;
  std::string text;
  double patience = 30;
};

class TransportFaults : public testing::TestWithParam<TransportFault> {};

TEST_P(TransportFaults, AreFound) {
  const TransportFault& it = GetParam();
  const CaseResult result = with_fault(it.fault, it.name, it.patience);
  EXPECT_EQ(result.outcome, Outcome::kWrong);
  EXPECT_THAT(result.text, HasSubstr(it.text));
  const CaseResult sound = with_fault("none", it.name, 60);
  EXPECT_EQ(sound.outcome, Outcome::kRight) << sound.text;
}

const std::string kExpectedBefore = "messages: of all sizes, expected before they are sent";

INSTANTIATE_TEST_SUITE_P(
    All, TransportFaults,
    testing::Values(
        TransportFault{"drops", kExpectedBefore, "it is not so after 10 s"},
        TransportFault{"reorders", "messages: in order", "cancelled"},
        TransportFault{"corrupts", kExpectedBefore, "byte 65534 of 65537"},
        TransportFault{"releases_early", "messages: released only when they are done",
                       "is not what was sent"},
        TransportFault{"buffers_without_end", "credit: bounds what is on the way, 64 kB messages",
                       "are done though none is expected; at most 15 may be on the way"},
        TransportFault{"buffers_without_end", "credit: bounds what is on the way, empty messages",
                       "are done though none is expected; at most 16384"},
        TransportFault{"reports_twice", kExpectedBefore, "ended twice"},
        TransportFault{"spins", "waiting: takes no processor", "of a processor"},
        TransportFault{"returns_at_once", "waiting: takes no processor", "poll returns after"},
        TransportFault{"oversleeps", "waiting: ends when a message comes", "small messages"},
        TransportFault{"any_tag", "refusals: another tag", "is reported as done"},
        TransportFault{"any_key", "refusals: a peer with another key", "is lost"},
        TransportFault{"any_generation", "refusals: a peer with another generation", "is lost"},
        TransportFault{"counts_nothing", "refusals: another size", "is not counted"},
        TransportFault{"any_peer", "refusals: calls that are wrong", "does not fail"},
        TransportFault{"hides_deaths", "endings: a peer is killed", "the death of a peer"},
        TransportFault{"forgets_cancelled", "endings: interrupt cancels",
                       "all messages end after interrupt"},
        TransportFault{"ignores_interrupt", "endings: interrupt beside a stopped peer",
                       "all messages to a stopped peer end"},
        TransportFault{"hangs_in_interrupt", "endings: interrupt cancels",
                       "not finished after 3 s: end 0 is in the transport end 1 waits", 3},
        TransportFault{"hangs_in_close", "endings: close beside a stopped peer",
                       "not finished after 3 s: end 0 is in the transport", 3},
        TransportFault{"crashes", kExpectedBefore, "ended with signal 11"}),
    [](const auto& it) { return it.param.fault + "_" + as_test_name(it.param.name); });

// On a machine that does other things the processes wait for each other, whatever the transport is.
TEST(TransportCases, MeasureAnswersByWhatTheMachineTakesToWakeAProcess) {
  const auto rounds = [](double seconds) {
    std::vector<double> all(41, seconds);
    for (std::size_t i = 0; i < 20; ++i) all[i] = 0.5;  // not half of them
    return all;
  };
  EXPECT_FALSE(fault_of_answers(rounds(0.009), rounds(0.00002)));
  EXPECT_TRUE(fault_of_answers(rounds(0.02), rounds(0.00002)));
  EXPECT_FALSE(fault_of_answers(rounds(0.02), rounds(0.004)));
  EXPECT_TRUE(fault_of_answers(rounds(1.0), rounds(0.004)));
}

// A loop gets little of a processor that has much to do, and a thread that sleeps may wait for it
// long when it wakes up.
TEST(TransportCases, MeasureWaitingByWhatTheMachineGives) {
  const auto fault = [](const std::vector<ThreadSeconds>& threads) {
    return fault_of_waiting(threads, 1.0).value_or("");
  };
  EXPECT_THAT(fault({{1.0, 0.0}}), HasSubstr("waiting 1 s took 1.000 s of a processor"));
  EXPECT_THAT(fault({{0.02, 0.98}}), HasSubstr("took 0.020 s of a processor, and 0.980 s"));
  EXPECT_THAT(fault({{0.0, 0.0}, {0.01, 0.98}}), HasSubstr("of a processor"));
  EXPECT_EQ(fault({{0.001, 0.9}, {0.002, 0.1}}), "");
  EXPECT_EQ(fault({{0.05, 0.0}, {0.04, 0.0}}), "");
  EXPECT_EQ(fault({{0.0001, 1.1}}), "") << "clocks differ";
}

// The processes of a case are gone when it is over, whatever they did.
TEST(TransportCases, LeaveNoProcess) {
  static_cast<void>(with_fault("hangs_in_interrupt", "endings: interrupt cancels", 1));
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

}  // namespace
}  // namespace convoy::conformance
