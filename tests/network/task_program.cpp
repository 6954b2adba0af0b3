// A task for the tests: joins, meets the others once per step and says on standard output what
// happens to it. Arguments are name=value.
#include <cstdio>
#include <iostream>
#include <map>

#include "core/network/control_plane.hpp"

namespace convoy::network {
namespace {

using Arguments = std::map<std::string, std::string>;

Arguments read_arguments(int argc, char** argv) {
  Arguments arguments = {{"role", "worker"},    {"index", "0"},       {"workers", "2"},
                         {"servers", "0"},      {"port", "0"},        {"join_timeout", "10"},
                         {"peer_timeout", "4"}, {"steps", "1000000"}, {"batch_size", "16"}};
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const std::size_t equals = argument.find('=');
    arguments[argument.substr(0, equals)] = argument.substr(equals + 1);
  }
  return arguments;
}

ControlOptions control_options(const Arguments& arguments) {
  ControlOptions options;
  options.identity.role = arguments.at("role") == "ps" ? Role::kServer : Role::kWorker;
  options.identity.index = std::stoi(arguments.at("index"));
  options.identity.workers = std::stoi(arguments.at("workers"));
  options.identity.servers = std::stoi(arguments.at("servers"));
  options.identity.coordinator = HostPort{"127.0.0.1", std::stoi(arguments.at("port"))};
  options.join_timeout = std::stod(arguments.at("join_timeout"));
  options.peer_timeout = std::stod(arguments.at("peer_timeout"));
  options.operation_text = [](std::int64_t) { return "all_reduce affine0"; };
  options.notice = [](const std::string& text) { std::cout << "notice " << text << std::endl; };
  return options;
}

void train(ControlPlane& control, std::int64_t steps) {
  for (std::int64_t step = 1; step <= steps; ++step) {
    control.set_position(step, 42);
    control.exchange("step", "");
    if (step % 10 == 1) std::cout << "step " << step << std::endl;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  control.leave();
}

int run(const Arguments& arguments) {
  try {
    ControlPlane control(control_options(arguments),
                         {"", "trivial", {}, {{"--batch_size", arguments.at("batch_size")}}});
    std::cout << "joined" << std::endl;
    train(control, std::stoll(arguments.at("steps")));
    return 0;
  } catch (const Error& error) {
    std::cout << "error " << error.what() << std::endl;
    return static_cast<int>(error.code());
  }
}

}  // namespace
}  // namespace convoy::network

int main(int argc, char** argv) {
  return convoy::network::run(convoy::network::read_arguments(argc, argv));
}
