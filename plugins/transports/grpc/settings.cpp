#include "plugins/transports/grpc/settings.hpp"

#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "plugins/transports/grpc/frame.hpp"

namespace convoy::grpc_transport {
namespace {

// Bytes of a stream that may be in flight before its receiver has taken them.
constexpr int kWindowBytes = 16 << 20;
constexpr int kHttpFrameBytes = 4 << 20;

std::string read_file(const char* path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) throw std::invalid_argument(std::string(path) + " cannot be read");
  return text.str();
}

void read_certificates(const convoy_transport_run& run, Settings& settings) {
  const int given =
      (run.certificate != nullptr) + (run.private_key != nullptr) + (run.authorities != nullptr);
  if (given == 0) return;
  if (given < 3)
    throw std::invalid_argument(
        "encryption needs a certificate, its key and the authorities that peers are of");
  settings.certificate = read_file(run.certificate);
  settings.private_key = read_file(run.private_key);
  settings.authorities = read_file(run.authorities);
  settings.encrypted = true;
}

}  // namespace

Settings read_settings(const convoy_transport_run& run, std::uint32_t connections, bool checked) {
  Settings settings;
  settings.run = without_texts(run);
  settings.connections = std::min(connections, run.channels);
  if (run.listen_address != nullptr) settings.listen = parse_endpoint(run.listen_address);
  settings.advertised_host =
      run.advertised_host != nullptr ? run.advertised_host : settings.listen.host;
  read_certificates(run, settings);
  const bool local = is_loopback(settings.listen.host);
  if (!settings.encrypted && !local && (run.flags & CONVOY_RUN_CLEAR_TEXT) == 0)
    throw std::invalid_argument("everyone on the network could read and change what comes to " +
                                to_string(settings.listen) +
                                " in clear text: give certificates, or --insecure_network on a "
                                "network that you trust");
  settings.checked = !settings.encrypted && (checked || !local);
  return settings;
}

std::shared_ptr<grpc::ServerCredentials> server_credentials(const Settings& settings) {
  if (!settings.encrypted) return grpc::InsecureServerCredentials();
  grpc::SslServerCredentialsOptions options(
      GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  options.pem_root_certs = settings.authorities;
  options.pem_key_cert_pairs.push_back({settings.private_key, settings.certificate});
  return grpc::SslServerCredentials(options);
}

void add_arguments(const Settings& settings, grpc::ChannelArguments& arguments) {
  const int silence = static_cast<int>(std::clamp(settings.run.peer_seconds, 0.2, 3600.0) * 1000);
  arguments.SetMaxReceiveMessageSize(static_cast<int>(kFrameBytes + sizeof(FrameHeader)));
  arguments.SetInt(GRPC_ARG_HTTP2_STREAM_LOOKAHEAD_BYTES, kWindowBytes);
  arguments.SetInt(GRPC_ARG_HTTP2_MAX_FRAME_SIZE, kHttpFrameBytes);
  arguments.SetInt(GRPC_ARG_HTTP2_BDP_PROBE, 0);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, silence / 2);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, silence);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  arguments.SetInt(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 10);
  arguments.SetInt(GRPC_ARG_HTTP2_MAX_PING_STRIKES, 0);
}

std::shared_ptr<grpc::Channel> make_channel(const Settings& settings, const Endpoint& to) {
  grpc::ChannelArguments arguments;
  add_arguments(settings, arguments);
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  // Retries are disabled, because a call that may be repeated keeps what it has sent.
  arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
  arguments.SetInt(GRPC_ARG_SERVICE_CONFIG_DISABLE_RESOLUTION, 1);
  std::shared_ptr<grpc::ChannelCredentials> credentials = grpc::InsecureChannelCredentials();
  if (settings.encrypted) {
    // One certificate with this name serves all hosts.
    arguments.SetSslTargetNameOverride("convoy");
    credentials =
        grpc::SslCredentials({settings.authorities, settings.private_key, settings.certificate});
  }
  return grpc::CreateCustomChannel(to_string(to), credentials, arguments);
}

}  // namespace convoy::grpc_transport
