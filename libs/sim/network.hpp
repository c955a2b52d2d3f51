#pragma once
// A simulated HTTP network with latency, loss, repetition, reordering and partitions.

#include "libs/http/client.hpp"
#include "libs/sim/host.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace baton::sim {

// Latency and faults of the network. Probabilities are per exchange; all are drawn at its start.
struct network_faults {
    duration min_latency = 100us; // latency of one direction: uniform between these two, so messages may be reordered
    duration max_latency = 1ms;
    double spike = 0; // probability that one direction takes up to `spike_max` longer
    duration spike_max = 0us;
    double lose_request = 0;
    double lose_reply = 0; // the handler runs, but its answer is lost
    double repeat = 0;     // the request arrives twice, as after a retry on a new connection
};

// HTTP between simulated hosts. A request without an answer throws unreachable(possibly delivered) at the caller's
// limit. A host without a listener refuses the connection (not delivered); a host that dies while it answers resets it
// (possibly delivered). A frozen host receives its messages when it continues. If the limit of its own request has
// passed by then, an answer that arrived meanwhile is accepted with a probability of one half.
class network {
public:
    network(environment env, std::uint64_t seed) : env_(env), random_(seed) {}

    network_faults faults;
    // Sees each request as it is sent.
    std::function<void(http::url const& to, http::request const& message)> on_request;
    // True: the handler of this request runs, but its answer is lost. May be empty.
    std::function<bool(http::request const& message)> loses_answer;
    // How much longer the answer to this request is under way. May be empty.
    std::function<duration(http::request const& message)> delays_answer;
    // Answers a request in place of its handler, as a proxy between the two hosts does; nothing: it passes on. May be
    // empty.
    std::function<std::optional<http::response>(http::request const& message)> answers_instead;

    // Starts a listener on `where`, until the host dies or detach(). Each request runs `handle` as a coroutine of the
    // host. `at` has no path prefix.
    void attach(host& where, http::url const& at, http::handler handle);
    void detach(http::url const& at);

    // The HTTP client of the process on `sender`. The network must outlive it.
    std::unique_ptr<http::client> client_for(host& sender);

    // Partitions two hosts by name in both directions; messages that are under way are lost.
    void partition(std::string const& a, std::string const& b);
    void heal(std::string const& a, std::string const& b);
    void heal(); // heals all partitions

    std::uint64_t exchanges() const { return exchanges_; }

private:
    class caller;
    struct exchange;
    struct listener {
        host* where = nullptr;
        http::handler handle;
    };

    duration latency();
    bool partitioned(std::string const& a, std::string const& b) const;
    awaitable<void> deliver(std::string from, http::url to, http::request message, std::shared_ptr<exchange> open,
                            duration after);
    awaitable<void> answer(host& where, http::handler handle, http::request message, std::string from,
                           std::shared_ptr<exchange> open);
    void send_back(std::string const& from, std::string const& to, std::shared_ptr<exchange> open, http::response reply,
                   bool reset);
    awaitable<void> travel_back(std::string from, std::string to, std::shared_ptr<exchange> open, http::response reply,
                                bool reset);

    environment env_;
    seeded_random random_;
    std::map<std::pair<std::string, std::uint16_t>, listener> listeners_;
    std::set<std::pair<std::string, std::string>> partitioned_;
    std::uint64_t exchanges_ = 0;
};

} // namespace baton::sim
