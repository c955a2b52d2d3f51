#pragma once

#include "tests/support/stores.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace baton::test {

// A client's row whose texts have quotes and characters beyond ASCII.
inline storage::client_record client(std::string instance, std::string node, std::int64_t generation = 1)
{
    storage::client_record record;
    record.instance = std::move(instance);
    record.service = "it's";
    record.address = "http://127.0.0.1:1";
    record.secret = "s3cret";
    record.handlers = {"a", "b'; --", "\xc3\xa9"};
    record.slots = 4;
    record.queue = 9;
    record.version = "0.1.0";
    record.node = std::move(node);
    record.generation = generation;
    return record;
}

template <class Client>
std::vector<std::string> names(std::vector<Client> const& clients)
{
    std::vector<std::string> out;
    for (auto const& each : clients)
        out.push_back(each.instance);
    return out;
}

// The client leaves. Returns its home, or nothing if it was gone before.
inline std::optional<std::string> leave(storage::clients& clients, std::string instance, std::int64_t generation)
{
    std::vector<storage::client_write> group(1);
    group[0].what = storage::client_write::kind::leave;
    group[0].row = client(std::move(instance), "", generation);
    auto const written = wait_for(clients.write(group)).at(0);
    return written.kept ? std::optional(written.node_before) : std::nullopt;
}

// Changes are ordered by a clock of microseconds: waits until it is past `than`.
inline utc_time later(storage::clients& clients, utc_time than)
{
    for (;;)
        if (auto const now = wait_for(clients.all()).now; now > than)
            return now;
}

} // namespace baton::test
