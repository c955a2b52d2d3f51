#pragma once
// How many executions of a task may be under way at the same time. Part of the task's JSON document.

#include "libs/protocol/json_text.hpp"
#include "libs/protocol/names.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace baton::protocol {

// The treatment of an execution that is due while the limit is reached.
enum class when_full {
    wait,    // it waits its turn, in order of time
    skip,    // it is skipped
    replace, // it waits, older ones that wait are skipped, and the one that has been under way longest is cancelled
};
template <>
inline constexpr std::array<std::string_view, 3> names_of<when_full>{"wait", "skip", "replace"};

// An execution is under way from its admission to its end, pauses between attempts included.
//   {"limit": 1, "when_full": "wait", "queue": 100, "key": "/customer"}
struct concurrency_policy {
    int limit = 0; // 0: none
    protocol::when_full when_full = protocol::when_full::wait;
    int queue = 0;     // wait only: executions that may wait, further ones are skipped; 0: no bound
    std::string key{}; // JSON pointer (RFC 6901) into the payload: the limit is that of each value; empty: of the task

    friend bool operator==(concurrency_policy const&, concurrency_policy const&) = default;
};

inline constexpr int most_concurrent = 100'000;

// Strict: throws invalid_input with the field ("concurrency.limit").
concurrency_policy parse_concurrency(nlohmann::json const& value);
nlohmann::json to_json(concurrency_policy const& policy);

// Throws invalid_input("payload") when the policy has a key and the payload has nothing there.
void check_key(concurrency_policy const& policy, json_text const& payload);

// A hash of the value that the key names; 0 without a key. Two values may share a hash, which makes one wait for the
// other.
std::uint64_t key_hash(concurrency_policy const& policy, json_text const& payload);

} // namespace baton::protocol
