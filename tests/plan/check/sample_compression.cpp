#include "tests/plan/check/sample_compression.hpp"

#include <functional>

namespace convoy::testing {
namespace {

constexpr Coding kSigns{Code::kSign, 16};
constexpr Coding kBits{Code::k4Bits, 32};

// One replica's message and what is gathered of all.
struct Message {
  Span parts[2];
  Buffer all[2];
};

// How elements become messages and messages elements.
struct Compressor {
  std::function<std::uint64_t(std::uint64_t count, std::uint32_t part)> size;
  Dtype dtypes[2];
  std::function<void(Planner&, const Message&, Span from, std::optional<Span> rest)> pack;
  std::function<void(Planner&, Span to, Span a, Span b, MessageOptions)> unpack;
};

Compressor selection(std::uint64_t one_in) {
  return {[=](std::uint64_t count, std::uint32_t) { return count / one_in + 1; },
          {Dtype::kF32, Dtype::kI32},
          [](Planner& p, const Message& it, Span from, std::optional<Span> rest) {
            p.top_k(it.parts[0], it.parts[1], from, rest);
          },
          [](Planner& p, Span to, Span a, Span b, MessageOptions options) {
            p.scatter(to, a, b, options);
          }};
}

Compressor codes(Coding packed, Coding unpacked) {
  return {[=](std::uint64_t count, std::uint32_t part) {
            return part == 0 ? packed.code_bytes(count) : packed.scales(count);
          },
          {Dtype::kU8, Dtype::kF32},
          [=](Planner& p, const Message& it, Span from, std::optional<Span> rest) {
            p.quantise(it.parts[0], it.parts[1], from, packed, rest);
          },
          [=](Planner& p, Span to, Span a, Span b, MessageOptions options) {
            p.dequantise(to, a, b, unpacked, options);
          }};
}

Message new_message(Planner& p, const Compressor& how, ReplicaId r, std::uint64_t count) {
  Message result;
  for (const std::uint32_t i : {0u, 1u}) {
    const std::uint64_t size = how.size(count, i);
    result.all[i] = p.scratch(p.replica_place(r), p.replica_count() * size, how.dtypes[i]);
    result.parts[i] = part(result.all[i], r.index() * size, size);
  }
  return result;
}

// Of every replica's gradient: added to its residual, if it keeps one, and packed.
std::vector<Message> pack_gradients(Planner& p, const Compressor& how, bool keeps_rest) {
  p.compute();
  std::vector<Message> messages;
  for (const auto r : p.replicas()) {
    messages.push_back(new_message(p, how, r, p.arena_elements()));
    Span from = p.gradient(r);
    if (keeps_rest) {
      const Buffer residual = p.persistent(p.replica_place(r), p.arena_elements());
      p.name(residual, "residual");
      p.add(residual, residual, from);
      from = residual;
    }
    how.pack(p, messages.back(), from, keeps_rest ? std::optional(from) : std::nullopt);
  }
  return messages;
}

void gather(Planner& p, const std::vector<Message>& messages, std::uint32_t i) {
  std::vector<Span> all, parts;
  for (const Message& it : messages) {
    all.push_back(it.all[i]);
    parts.push_back(it.parts[i]);
  }
  p.all_gather(all, parts);
}

void apply_all(Planner& p) {
  for (const auto r : p.replicas()) p.apply(p.parameters(r), p.gradient(r));
}

WritePlan exchange(const Compressor& how, bool keeps_rest) {
  return [=](Planner& p) {
    const std::vector<Message> messages = pack_gradients(p, how, keeps_rest);
    gather(p, messages, 0);
    gather(p, messages, 1);
    for (const auto r : p.replicas())
      how.unpack(p, p.gradient(r), messages[r.index()].all[0], messages[r.index()].all[1],
                 {.messages = p.replica_count()});
    apply_all(p);
  };
}

// Every message is added to what came before it, at a server.
WritePlan exchange_one_by_one(const Compressor& how) {
  return [=](Planner& p) {
    const std::vector<Message> messages = pack_gradients(p, how, true);
    const PlaceId server = p.host_place(ReplicaId(0));
    const Buffer sum = p.scratch(server, p.arena_elements());
    p.fill(sum, 0);
    for (const Message& it : messages) {
      Buffer there[2];
      for (const std::uint32_t i : {0u, 1u}) {
        there[i] = p.scratch(server, it.parts[i].count, how.dtypes[i]);
        p.copy(there[i], it.parts[i]);
      }
      how.unpack(p, sum, there[0], there[1], {.onto = sum});
    }
    for (const auto r : p.replicas()) {
      p.copy(p.gradient(r), sum);
      p.apply(p.parameters(r), p.gradient(r));
    }
  };
}

// --- wrong ones

// Values of different elements are added up, as if all replicas had taken the same ones.
void write_summed_values(Planner& p) {
  const Compressor how = selection(8);
  const std::vector<Message> messages = pack_gradients(p, how, true);
  std::vector<Span> values;
  values.reserve(messages.size());
  for (const Message& it : messages) values.push_back(it.parts[0]);
  p.all_reduce(values);
  for (const auto r : p.replicas())
    p.scatter(p.gradient(r), values[r.index()], messages[r.index()].parts[1]);
  apply_all(p);
}

void write_values_as_gradients(Planner& p) {
  p.compute();
  for (const auto r : p.replicas()) {
    const Buffer indices = p.scratch(p.replica_place(r), p.arena_elements(), Dtype::kI32);
    const Buffer values = p.scratch(p.replica_place(r), p.arena_elements());
    p.top_k(values, indices, p.gradient(r));
    p.copy(p.gradient(r), values);
  }
  p.all_reduce(p.all_gradients(p.arena()));
  apply_all(p);
}

WritePlan other_scales(const Compressor& how) {
  return [=](Planner& p) {
    const std::vector<Message> messages = pack_gradients(p, how, false);
    for (const auto r : p.replicas()) {
      const Message& other = messages[(r.index() + 1) % messages.size()];
      const Buffer theirs = p.scratch(p.replica_place(r), other.parts[1].count, how.dtypes[1]);
      p.copy(theirs, other.parts[1]);
      how.unpack(p, p.gradient(r), messages[r.index()].parts[0], theirs, {});
    }
    p.all_reduce(p.all_gradients(p.arena()));
    apply_all(p);
  };
}

// What was sent is put back into the residual, too.
void write_kept_twice(Planner& p) {
  p.compute();
  for (const auto r : p.replicas()) {
    const Message message = new_message(p, selection(8), r, p.arena_elements());
    const Buffer residual = p.persistent(p.replica_place(r), p.arena_elements());
    p.add(residual, residual, p.gradient(r));
    p.top_k(message.parts[0], message.parts[1], residual);
    p.scatter(p.gradient(r), message.parts[0], message.parts[1]);
  }
  p.all_reduce(p.all_gradients(p.arena()));
  apply_all(p);
}

void write_missing_message(Planner& p) {
  const Compressor how = codes(kBits, kBits);
  const std::vector<Message> messages = pack_gradients(p, how, true);
  gather(p, messages, 0);
  gather(p, messages, 1);
  for (const auto r : p.replicas()) {
    const Message& it = messages[r.index()];
    const std::uint64_t sent = p.replica_count() - 1;
    const auto first_ones = [&](std::uint32_t i) {
      return part(it.all[i], 0, sent * it.parts[i].count);
    };
    how.unpack(p, p.gradient(r), first_ones(0), first_ones(1), {.messages = sent});
  }
  apply_all(p);
}

// Each part of a message may come from another step.
void write_relaxed_messages(Planner& p) {
  const Compressor how = codes(kBits, kBits);
  const std::vector<Message> messages = pack_gradients(p, how, false);
  const PlaceId server = p.host_place(ReplicaId(0));
  const Buffer sum = p.scratch(server, p.arena_elements());
  p.fill(sum, 0);
  for (const Message& it : messages) {
    Buffer there[2];
    for (const std::uint32_t i : {0u, 1u}) {
      there[i] = p.scratch(server, it.parts[i].count, how.dtypes[i]);
      p.copy(there[i], it.parts[i], {.relaxed = true, .max_lag = 1});
    }
    how.unpack(p, sum, there[0], there[1], {.onto = sum});
  }
  for (const auto r : p.replicas()) p.apply(p.parameters(r), sum);
}

// Replicas cut the same sum differently before they quantise it.
void write_other_blocks(Planner& p) {
  p.compute();
  p.all_reduce(p.all_gradients(p.arena()));
  for (const auto r : p.replicas()) {
    const Compressor how = codes({Code::k4Bits, 8 + r.index()}, {Code::k4Bits, 8 + r.index()});
    const Message message = new_message(p, how, r, p.arena_elements());
    how.pack(p, message, p.gradient(r), std::nullopt);
    how.unpack(p, p.gradient(r), message.parts[0], message.parts[1], {});
  }
  apply_all(p);
}

}  // namespace

std::vector<SampleRecurrence> right_compressions() {
  constexpr plan::check::Verdict kRight = plan::check::Verdict::kApproximate;
  return {
      {"top_k with feedback", exchange(selection(8), true), kRight, true, "nothing is lost"},
      {"signs with feedback", exchange(codes(kSigns, kSigns), true), kRight, true,
       "nothing is lost"},
      {"4 bits with feedback", exchange(codes(kBits, kBits), true), kRight, true,
       "nothing is lost"},
      {"top_k at a server", exchange_one_by_one(selection(4)), kRight, true, "nothing is lost"},
      {"signs at a server", exchange_one_by_one(codes(kSigns, kSigns)), kRight, true,
       "nothing is lost"},
      {"top_k without feedback", exchange(selection(8), false), kRight, false,
       "what top_k leaves out is lost"},
      {"signs without feedback", exchange(codes(kSigns, kSigns), false), kRight, false,
       "what quantise leaves out is lost"},
  };
}

std::vector<SampleRecurrence> wrong_compressions() {
  constexpr plan::check::Verdict kWrong = plan::check::Verdict::kWrong;
  constexpr plan::check::Verdict kOpen = plan::check::Verdict::kUnproved;
  return {
      {"values added up", write_summed_values, kOpen, false, "scatter"},
      {"values as gradients", write_values_as_gradients, kOpen, false,
       "not whole through a scatter"},
      {"codes with another replica's scales", other_scales(codes(kSigns, kSigns)), kOpen, false,
       "are not known to be messages"},
      {"values at another replica's indices", other_scales(selection(8)), kOpen, false,
       "are not known to be messages"},
      {"read with another block", exchange(codes({Code::kSign, 137}, {Code::kSign, 200}), false),
       kOpen, false, "with the same code and block"},
      {"sent and kept", write_kept_twice, kWrong, false, "grows"},
      {"a message left out", write_missing_message, kWrong, false, "is missing"},
      {"messages that may be torn", write_relaxed_messages, kOpen, false, "of one step"},
      {"replicas with other blocks", write_other_blocks, kOpen, false, "drift apart"},
  };
}

}  // namespace convoy::testing
