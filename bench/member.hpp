#pragma once
// One client of a crowd (fetchers.cpp): it registers, sends heartbeats, fetches its executions, writes them down and
// reports their results, as docs/protocol.md demands. It has two connections: one for the fetch, one for the rest.

#include "libs/base/loop.hpp"
#include "libs/http/client.hpp"
#include "libs/protocol/client_wire.hpp"
#include "libs/protocol/fetch_wire.hpp"

#include <map>
#include <optional>

namespace baton::bench {

// The settings and counters that the clients of one process share.
struct crowd {
    system_time time;
    std::vector<http::url> nodes;
    std::string service = "crowd";
    int clients = 1'000;
    duration period = 5s;   // of heartbeats
    duration ramp = 0s;     // over which the first registrations are spread
    duration takes = 200ms; // an execution
    int journal = -1;       // a file, with the lines that tests/cluster/recorder.cpp writes
    instant began{};

    // Since the start.
    std::int64_t homes = 0;   // clients that have one now
    std::int64_t joins = 0;   // registrations that were answered with 200
    std::int64_t busy = 0;    // registrations and heartbeats that were answered with 503
    std::int64_t silent = 0;  // registrations and heartbeats without an answer
    std::int64_t lost = 0;    // heartbeats that were answered otherwise, mostly 404
    std::int64_t renamed = 0; // after 410
    std::int64_t beats = 0;
    std::int64_t fetches = 0;
    std::int64_t runs = 0;
    std::vector<std::int64_t> answered_after; // microseconds, of heartbeats since the last line
};

class member {
public:
    member(crowd& all, asio::any_io_executor loop, int number);

    awaitable<void> live();  // registers, and sends heartbeats
    awaitable<void> fetch(); // beside it

private:
    // The state of an execution that it has got.
    struct memory {
        int attempt = 0;
        bool running = false;
        bool refused = false; // a query asked for it before it came
    };

    void draw_name(std::string const& suffix);
    awaitable<std::optional<http::response>> post(char const* path, std::string body, duration limit);
    awaitable<bool> register_once();
    awaitable<void> join();
    awaitable<bool> beat();
    awaitable<bool> fetch_once();
    awaitable<void> run(protocol::dispatch work, std::int64_t epoch);
    awaitable<void> report(protocol::result_report result);
    void next_node();
    void lose_home();
    http::url home() const { return all_.nodes[node_]; }

    void answer_calls(protocol::fetch_answer const& envelope);
    protocol::call_answer answer(protocol::fetched_call const& call);
    std::string take(protocol::dispatch_request const& request);
    protocol::dispatch_ack take(protocol::dispatch const& work, protocol::dispatch_request const& request);
    std::string held(std::vector<execution_id> const& asked, std::vector<int> const& attempts, bool query);
    void write(char const* event, protocol::dispatch const& work, std::int64_t epoch, char const* outcome) const;

    crowd& all_;
    asio::any_io_executor loop_;
    int number_;
    std::unique_ptr<http::client> http_;
    std::size_t node_;
    bool registered_ = false;
    instant heard_ = instant::min(); // when the last heartbeat that was answered with 200 was sent
    duration ttl_ = 15s;
    int retry_after_ = 0; // seconds, of the last 503
    protocol::register_request self_;
    std::string ticket_;
    std::int64_t polls_ = 0;
    int suffixes_ = 0;
    protocol::term_id term_;
    waker beat_now_;
    waker fetch_now_;
    protocol::fetch_request answers_;                                      // of the last envelope
    std::map<std::string, std::pair<std::int64_t, std::string>> answered_; // the last dispatch of each node
    std::map<execution_id, memory> known_;
    int running_ = 0;
};

} // namespace baton::bench
