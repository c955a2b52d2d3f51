#pragma once

#include "libs/base/loop.hpp"
#include "libs/storage/handler_schemas.hpp"
#include "trigger/clients/schema_memory.hpp"

#include <deque>
#include <functional>
#include <string>
#include <vector>

namespace baton::trigger {

// Writes the schemas of handlers that the clients of this node announce, beside their registrations, which do not wait
// for these writes. The queue is bounded; a document that finds no room is written when a client registers with it
// again. On the loop only.
class schema_writer {
public:
    using document_store = std::function<awaitable<void>(std::vector<storage::schema_document> documents)>;

    schema_writer(document_store store, time_source& time, asio::any_io_executor loop);

    // A client registers with these schemas. Returns the name of their document; empty if there are none.
    std::string announce(protocol::service_key service, std::vector<protocol::handler_schema> schemas);

    // Until cancelled.
    awaitable<void> run();

    void forget_old() { memory_.forget_old(time_.now()); }
    std::size_t waiting() const { return queue_.size(); }

private:
    static constexpr std::size_t most_waiting_bytes = 16u << 20;
    static constexpr std::size_t most_at_once = 16; // documents in one transaction, of at most 64 KiB each

    void note_lost(protocol::service_key const& service);
    awaitable<bool> write(std::vector<storage::schema_document> const& group);

    document_store store_;
    time_source& time_;
    schema_memory memory_;
    std::deque<storage::schema_document> queue_;
    std::size_t bytes_ = 0; // of the queue
    instant said_at_{};     // when the log last said that a document is not kept
    waker bell_;
};

} // namespace baton::trigger
