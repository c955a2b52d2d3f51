#pragma once

#include "trigger/clients/registry.hpp"
#include "trigger/delivery/dispatcher.hpp"
#include "trigger/delivery/master_link.hpp"
#include "trigger/election/election_proxy.hpp"
#include "trigger/membership/membership.hpp"

namespace baton::trigger {

// The clean stop of a node: takes no new work, gives up mastership, delivers what it holds and leaves the roster. On
// the loop only.
class clean_stop {
public:
    struct dependencies {
        membership& nodes;
        registry const& clients;
        election_proxy& election;
        dispatcher& deliveries;
        master_link& link;
        time_source& time;
    };
    // `drain`: the time for deliveries; `grace`: the time after it for the end of a term.
    clean_stop(duration drain, duration grace, dependencies deps, asio::any_io_executor loop)
        : drain_(drain), grace_(grace), deps_(deps), request_(std::move(loop))
    {}

    void request() { request_.wake(); }
    bool stopping() const { return stopping_; }
    // From now on the node has a row, a lease and work to give up.
    void joined() { joined_ = electing_ = true; }
    bool has_joined() const { return joined_; }
    // The elector has returned: the lease is given up.
    void election_ended() { electing_ = false; }

    // Waits for the request, and returns when the node may end.
    awaitable<void> run();

private:
    awaitable<void> send_clients_on(instant until);
    awaitable<void> note_what_is_out();
    awaitable<void> deliver_rest(instant until);

    duration drain_;
    duration grace_;
    dependencies deps_;
    waker request_;
    bool stopping_ = false;
    bool joined_ = false;
    bool electing_ = false;
};

} // namespace baton::trigger
