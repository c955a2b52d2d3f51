#pragma once

#include "libs/http/client.hpp"
#include "libs/sim/host.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

namespace baton::sim {

// How bad the network is. Probabilities are per exchange, all drawn at its start.
struct network_faults {
    duration quickest = 100us; // one way, between these two; a message may overtake another
    duration slowest = 1ms;
    double hurdle = 0; // a way takes up to `hurdle_most` longer
    duration hurdle_most = 0us;
    double lose_request = 0;
    double lose_reply = 0; // the handler has run
    double repeat = 0;     // the request arrives a second time, as when a kept connection broke and it was sent again
};

// HTTP between simulated hosts: messages that take their time, get lost, overtake one another, and stop at partitions.
// Silence ends with unreachable(possibly delivered) at the caller's limit. A host where nobody listens refuses
// (certainly not delivered); one that dies while it answers resets (possibly delivered). One that stands still hears
// what arrives when it goes on; where its own limit has passed by then, an answer that has come counts half the time.
class network {
public:
    network(asio::io_context& loop, virtual_time& time, trace& log, std::uint64_t seed)
        : loop_(loop), time_(time), log_(log), random_(seed)
    {}

    network_faults faults;

    // Each request runs `handle` as a coroutine of the host, until the host dies or is detached; `at` has no prefix.
    void attach(host& where, http::url const& at, http::handler handle);
    void detach(http::url const& at);

    // What the process on `who` sends with. The network must outlive it.
    std::unique_ptr<http::client> client_for(host& who);

    // Between two hosts by name, both ways: what is sent or on its way now is lost.
    void part(std::string const& a, std::string const& b);
    void mend(std::string const& a, std::string const& b);
    void mend(); // everything

    std::uint64_t exchanges() const { return exchanges_; }

private:
    class caller;
    struct exchange;
    struct listener {
        host* where = nullptr;
        http::handler handle;
    };

    duration way();
    bool parted(std::string const& a, std::string const& b) const;
    awaitable<void> deliver(std::string from, http::url to, http::request message, std::shared_ptr<exchange> open,
                            duration after);
    awaitable<void> answer(host& where, http::handler handle, http::request message, std::string from,
                           std::shared_ptr<exchange> open);
    void send_back(std::string const& from, std::string const& to, std::shared_ptr<exchange> open, http::response reply,
                   bool reset);
    awaitable<void> travel_back(std::string from, std::string to, std::shared_ptr<exchange> open, http::response reply,
                                bool reset);

    asio::io_context& loop_;
    virtual_time& time_;
    trace& log_;
    seeded_random random_;
    std::map<std::pair<std::string, std::uint16_t>, listener> listeners_;
    std::set<std::pair<std::string, std::string>> parted_;
    std::uint64_t exchanges_ = 0;
};

} // namespace baton::sim
