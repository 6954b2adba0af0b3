// What tasks of a run on several hosts refuse before the first step, and what they take no notice
// of: share/test.sh faults.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "core/network/addresses.hpp"
#include "core/network/host_port.hpp"
#include "tests/end_to_end/host_tasks.hpp"

namespace convoy::fault_refusals_test {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;

constexpr double kRefused = 30;  // seconds
const Arguments kSoon{"--join_timeout=5"};

Arguments short_training() {
  return endless_training() + Arguments{"--num_batches=30"};
}

void run_shell(const std::string& command) {
  ASSERT_EQ(std::system((command + " >/dev/null 2>&1").c_str()), 0) << command;
}

// Both workers end without a step, at least one of them with all of these words.
void expect_refusal(HostTasks& tasks, const std::vector<std::string>& words) {
  bool said = false;
  for (const std::size_t task : {0u, 1u}) {
    const std::optional<int> code = tasks[task].exit_code(kRefused);
    ASSERT_TRUE(code) << HostTasks::name(task) << tasks[task].err();
    EXPECT_NE(*code, 0) << HostTasks::name(task);
    EXPECT_EQ(tasks[task].out().find("\n1\timages"), std::string::npos) << tasks[task].out();
    bool all = true;
    for (const std::string& word : words)
      all = all && tasks[task].err().find(word) != std::string::npos;
    said = said || all;
  }
  EXPECT_TRUE(said) << tasks[0].err() << tasks[1].err();
  EXPECT_TRUE(tasks[2].exit_code(kRefused)) << "the server waits";
}

void start_with(HostTasks& tasks, const Arguments& of_worker_1,
                const ProgramOptions& options = {}) {
  tasks.start(0);
  tasks.start(2);
  tasks.start(1, of_worker_1, options);
}

TEST(Refusal, OfOtherFlags) {
  for (const char* flag : {"--batch_size=3", "--model=trivial", "--optimizer=momentum"}) {
    HostTasks tasks(short_training(), kSoon);
    start_with(tasks, {flag});
    expect_refusal(tasks, {"worker 0", "worker 1"});
  }
}

TEST(Refusal, OfAnotherWorldSize) {
  HostTasks tasks(short_training(), kSoon);
  start_with(tasks, {"--worker_hosts=" + tasks.addresses()[0] + "," + tasks.addresses()[1] + "," +
                     free_addresses(1).front()});
  expect_refusal(tasks, {"worker 0", "worker 1"});
}

TEST(Refusal, OfAnotherProgram) {
  const std::string folder = scratch_folder("other_program");
  const std::string program = folder + "/bin/convoy";
  fs::create_directory(folder + "/bin");
  fs::create_directory_symlink(CONVOY_BINARY_DIR "/lib", folder + "/lib");
  fs::copy_file(CONVOY_BINARY_DIR "/bin/convoy", program);
  std::ofstream(program, std::ios::app | std::ios::binary) << '\0';
  HostTasks tasks(short_training(), kSoon);
  start_with(tasks, {}, {.program = program});
  expect_refusal(tasks, {"worker 0", "worker 1", "program"});
}

TEST(Refusal, OfAnotherPlugin) {
  const std::string folder = scratch_folder("other_plugin");
  const std::string file = folder + "/distributed_replicated.so";
  fs::copy_file(CONVOY_OWN_PLUGINS "/distributed_replicated.so", file);
  std::ofstream(file, std::ios::app | std::ios::binary) << '\0';
  HostTasks tasks(short_training(), kSoon);
  start_with(tasks, {"--variable_update=" + file});
  expect_refusal(tasks, {"worker 0", "worker 1"});
}

TEST(Refusal, OfATaskThatIsThereTwice) {
  HostTasks tasks(short_training(), kSoon);
  tasks.start(0);
  tasks.start(1);
  RunningProgram twin(tasks.command_line(1));
  ASSERT_TRUE(twin.exit_code(kRefused));
  EXPECT_NE(twin.exit_code(), 0);
  for (const std::size_t task : {0u, 1u}) ASSERT_TRUE(tasks[task].exit_code(kRefused));
  EXPECT_THAT(tasks[0].err() + tasks[1].err() + twin.err(), HasSubstr("worker 1"));
}

TEST(Refusal, OfATaskThatComesIntoARunningJob) {
  HostTasks tasks(endless_training());
  tasks.start_all();
  ASSERT_TRUE(tasks[0].says("\n20\timages")) << tasks[0].err();
  RunningProgram twin(tasks.command_line(1) + kSoon);
  ASSERT_TRUE(twin.exit_code(kRefused));
  EXPECT_NE(twin.exit_code(), 0) << twin.err();
  tasks[0].signal(SIGINT);
  EXPECT_EQ(tasks[0].exit_code(kRefused), 130) << tasks[0].err();
  for (const std::size_t task : {1u, 2u}) EXPECT_EQ(tasks[task].exit_code(kRefused), 130);
}

TEST(Refusal, OfAnAbsentTaskNamesIt) {
  for (const std::size_t absent : {0u, 1u, 2u}) {
    HostTasks tasks(short_training(), {"--join_timeout=2"});
    for (std::size_t task = 0; task < HostTasks::kTasks; ++task)
      if (task != absent) tasks.start(task);
    for (std::size_t task = 0; task < HostTasks::kTasks; ++task) {
      if (task == absent) continue;
      EXPECT_EQ(tasks[task].exit_code(kRefused), 6) << tasks[task].err();
      EXPECT_THAT(tasks[task].err(), HasSubstr(HostTasks::name(absent)));
    }
  }
}

struct Certificates {
  explicit Certificates(const std::string& name) : folder(scratch_folder(name)) {
    run_shell("sh " CONVOY_SOURCE_DIR "/share/certificates.sh " + folder);
  }
  Arguments flags() const {
    return {"--certificate=" + folder + "/task.crt", "--private_key=" + folder + "/task.key",
            "--certificate_authority=" + folder + "/authority.crt"};
  }
  void let_expire() const {
    run_shell("cd " + folder +
              " && openssl x509 -x509toreq -in task.crt -signkey task.key -out task.csr"
              " && printf 'subjectAltName=DNS:convoy\\nextendedKeyUsage=serverAuth,clientAuth\\n'"
              " >extensions && openssl x509 -req -in task.csr -CA authority.crt"
              " -CAkey authority.key -CAcreateserial -days 0 -extfile extensions -out task.crt"
              " && sleep 2");
  }
  std::string folder;
};

TEST(Refusal, OfCertificatesThatAreNotOfThisRun) {
  const Certificates own("own_certificates");
  const Certificates foreign("foreign_certificates");
  const Certificates expired("expired_certificates");
  for (const char* file : {"authority.crt", "authority.key", "task.crt", "task.key"})
    fs::copy_file(own.folder + "/" + file, expired.folder + "/" + file,
                  fs::copy_options::overwrite_existing);
  expired.let_expire();
  const Arguments clear;
  for (const Arguments& others : {foreign.flags(), expired.flags(), clear}) {
    HostTasks tasks(short_training(), kSoon);
    tasks.start(0, own.flags());
    tasks.start(2, own.flags());
    tasks.start(1, others);
    for (std::size_t task = 0; task < HostTasks::kTasks; ++task) {
      const std::optional<int> code = tasks[task].exit_code(kRefused);
      ASSERT_TRUE(code);
      EXPECT_THAT(*code, AnyOf(3, 6)) << tasks[task].err();
    }
    EXPECT_THAT(tasks[1].err(), HasSubstr("cannot reach the coordinator"));
    EXPECT_THAT(tasks[0].err(), HasSubstr("worker 1"));
  }
}

TEST(Encryption, CarriesARun) {
  const Certificates own("certificates");
  HostTasks tasks(short_training() + Arguments{"--transport=grpc"}, own.flags());
  tasks.start_all();
  for (std::size_t task = 0; task < HostTasks::kTasks; ++task)
    EXPECT_EQ(tasks[task].exit_code(), 0) << tasks[task].err();
}

class Listener {
 public:
  explicit Listener(int port) : descriptor_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const sockaddr_in address = loopback(port);
    EXPECT_EQ(::bind(descriptor_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(::listen(descriptor_, 1), 0);
  }
  ~Listener() { ::close(descriptor_); }
  static sockaddr_in loopback(int port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    return address;
  }

 private:
  int descriptor_;
};

TEST(Refusal, OfAPortThatIsTaken) {
  for (const std::size_t task : {0u, 1u}) {
    HostTasks tasks(short_training() + Arguments{"--transport=grpc"}, kSoon);
    const Listener taken(network::parse_host_port(tasks.addresses()[task], "a test").port);
    tasks.start_all();
    for (std::size_t each = 0; each < HostTasks::kTasks; ++each) {
      ASSERT_TRUE(tasks[each].exit_code(kRefused)) << tasks[each].err();
      EXPECT_NE(tasks[each].exit_code(), 0);
    }
    EXPECT_THAT(tasks[task].err(), HasSubstr(tasks.addresses()[task]));
  }
}

TEST(Refusal, OfANameThatMeansNothing) {
  const Arguments hosts{"run", "--worker_hosts=nobody.invalid:5000,127.0.0.1:5001",
                        "--job_name=worker", "--task_index=1", "--join_timeout=2"};
  RunningProgram task(hosts + short_training());
  EXPECT_EQ(task.exit_code(kRefused), 6) << task.err();
  EXPECT_THAT(task.err(), AllOf(HasSubstr("nobody.invalid"), HasSubstr("--join_timeout=2")));
}

TEST(Addresses, MayBeOfTheSixthVersion) {
  const Arguments at = free_addresses(2, "::1");
  std::vector<std::unique_ptr<RunningProgram>> workers;
  for (const int index : {0, 1})
    workers.push_back(std::make_unique<RunningProgram>(
        Arguments{"run", "--worker_hosts=" + at[0] + "," + at[1], "--job_name=worker",
                  "--task_index=" + std::to_string(index)} +
        short_training() +
        Arguments{"--variable_update=replicated", "--all_reduce_spec=xring", "--transport=grpc"}));
  for (const auto& worker : workers) EXPECT_EQ(worker->exit_code(), 0) << worker->err();
}

std::string garbage(unsigned seed) {
  std::mt19937 random(seed);
  std::string bytes(1 + random() % 20000, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  const char* const beginnings[] = {"", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "\x16\x03\x01",
                                    "GET / HTTP/1.1\r\n\r\n"};
  return beginnings[seed % 4] + bytes;
}

// Random bytes, HTTP/2 with frames that are cut or huge, TLS: at every port, while the run goes on.
TEST(HostileBytes, DoNotChangeARun) {
  const Arguments flags = short_training() + Arguments{"--num_batches=400", "--transport=grpc"};
  std::vector<std::string> hashes;
  for (const bool hostile : {false, true}) {
    HostTasks tasks(flags);
    tasks.start_all();
    ASSERT_TRUE(tasks[0].says("\n1\timages")) << tasks[0].err();
    std::vector<int> open;
    for (unsigned seed = 0; hostile && seed < 60; ++seed) {
      const int port =
          network::parse_host_port(tasks.addresses()[seed % HostTasks::kTasks], "a test").port;
      const sockaddr_in address = Listener::loopback(port);
      open.push_back(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
      if (::connect(open.back(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
        continue;
      const std::string bytes = garbage(seed);
      ::send(open.back(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    }
    for (std::size_t task = 0; task < HostTasks::kTasks; ++task)
      EXPECT_EQ(tasks[task].exit_code(), 0) << tasks[task].err();
    for (const int descriptor : open) ::close(descriptor);
    const std::string out = tasks[0].out();
    hashes.push_back(out.substr(out.find("parameter hash: ")));
  }
  EXPECT_EQ(hashes[0], hashes[1]);
}

}  // namespace
}  // namespace convoy::fault_refusals_test
