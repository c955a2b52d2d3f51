#pragma once

#include "libs/base/loop.hpp"
#include "trigger/clients/client_line.hpp"
#include "trigger/clients/fetch_box.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace baton::trigger {

// The calls to clients that fetch them: each client of this node has a box of calls and at most one held request. A
// call is answered by the client's next request. A client with an address fetches only while it is told that calls
// wait, and its requests are not held. On the loop only.
class fetch_line final : public client_line {
public:
    // `node`: this incarnation.
    fetch_line(std::string node, time_source& time, asio::any_io_executor loop)
        : node_(std::move(node)), time_(time), loop_(std::move(loop))
    {}

    awaitable<http::response> call(call_target to, char const* path, std::string body, duration limit) override;

    // Takes the answers of the request, and holds it until there are calls, a newer request of the client comes, or
    // protocol::fetch_hold has passed. A request that is not the newest is answered a second later, so that a client
    // with a wrong `poll`, or with two loops, does not ask without a pause. `connected` (may be empty): is the client
    // still there to read the answer? The text of a fetch_answer; nothing if the client has ceased to be one of this
    // node.
    awaitable<std::optional<std::string>> poll(protocol::fetch_request request, std::function<bool()> connected);
    // The same for a client with an address, at once.
    std::string poll_now(protocol::fetch_request request);

    // The client is gone or has another home: its calls fail, and its request ends.
    void close(std::string const& instance);

    // Does a call wait for this client, which has an address? Then it is to be told.
    bool must_tell(std::string const& instance) const;

    // Called when a client fetches that had ceased to.
    void on_return(std::function<void(std::string const& instance)> watcher) { returned_ = std::move(watcher); }
    // Called when a call waits for a client with an address.
    void on_waiting(std::function<void(std::string const& instance)> watcher) { waiting_ = std::move(watcher); }

    std::size_t size() const { return boxes_.size(); }

private:
    struct pending { // a call
        explicit pending(asio::any_io_executor loop) : bell(std::move(loop)) {}
        waker bell;
        std::optional<http::response> answer;
        bool lost = false;
    };
    struct held { // a request
        explicit held(asio::any_io_executor loop) : bell(std::move(loop)) {}
        waker bell;
    };
    struct client_box {
        fetch_box box;
        std::map<std::int64_t, std::shared_ptr<pending>> calls;
        std::shared_ptr<held> request; // null while none is held
        instant expected{};            // the time by which the next request should have come
        int replaced = 0;              // requests, by a newer one, while their connections stood
        bool told_stale = false;       // the log has said so
        bool has_address = false;
        bool closed = false;
    };

    std::shared_ptr<client_box> open(std::string const& instance, bool has_address);
    awaitable<void> wait_for_answer(std::shared_ptr<client_box> client, std::int64_t call, duration limit);
    awaitable<void> hold(std::shared_ptr<client_box> client, std::shared_ptr<held> mine);
    std::string answer_with(client_box& client, std::function<bool()> const& connected);
    void take_answers(client_box& client, protocol::fetch_request& request);
    static void tell_stale(client_box& client, std::string const& instance, char const* why);
    static void lose(client_box& client, std::vector<std::int64_t> const& calls);
    std::string empty() const;

    std::string node_;
    time_source& time_;
    asio::any_io_executor loop_;
    std::map<std::string, std::shared_ptr<client_box>> boxes_; // by instance
    std::int64_t calls_ = 0;                                   // to all clients
    std::int64_t envelopes_ = 0;                               // to all clients, so that no number comes twice
    std::function<void(std::string const&)> returned_;
    std::function<void(std::string const&)> waiting_;
};

} // namespace baton::trigger
