#pragma once
// A session with ZooKeeper for coroutines. Who waits for an answer gets it from the client's thread; all else that
// arrives there is posted to the loop.

#include "locks/zookeeper/client.hpp"

#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace baton::lock {

struct zoo_parts {
    std::string hosts; // "host:port,host:port"
    duration timeout;  // of a session, as it is asked for
    duration limit;    // for a connection and for an answer
    asio::any_io_executor loop;
    time_source& time;
};

struct zoo_entry {
    zoo_node made;
    std::vector<std::string> children; // of the parent, among them this one
};

enum class zoo_change { end, touch_or_end }; // of a node

// On the loop, or on a thread that waits (run_here()), but for the constructor, `close` and where it is said. Each call
// may throw `unavailable`: there was no connection, or no answer within the limit, and its effect is unknown. Calls are
// answered in the order in which they were made.
class zoo_session : public std::enable_shared_from_this<zoo_session> {
public:
    explicit zoo_session(zoo_parts parts);
    ~zoo_session();
    // Ends it, and with it what it owns. For when nothing runs on the loop any more; what still refers to this may then
    // only be destroyed.
    void close();

    // Returns when there is a connection: with the session that was, or in place of one that has expired with a new
    // one, whose number it returns.
    awaitable<std::int64_t> connect();
    // The session's number; 0 when there was none yet, or it has expired.
    std::int64_t id() const;
    duration timeout() const; // as the server granted it
    time_source& time() { return parts_.time; }

    // These do not wait for a connection. `in` is the session that they are meant for; 0 for any.
    //
    // Unless the node is there, or its parent is missing.
    awaitable<void> create(std::int64_t in, std::string path, zoo_mode how);
    // Makes a node of this session's, "PARENT/NAME0000000017", and sees with whom it is there from then on, both in one
    // round trip. Nothing where the parent is missing.
    awaitable<std::optional<zoo_entry>> enter(std::int64_t in, std::string parent, std::string name, std::string data);
    // The other three are as the leader knows it, not what a server that lags behind has heard.
    awaitable<std::vector<std::string>> children(std::int64_t in, std::string path);
    awaitable<std::optional<zoo_node>> find(std::int64_t in, std::string path);
    // False: there was none.
    awaitable<bool> remove(std::int64_t in, std::string path);
    // Tells who waits for a touch of this node; waits for nothing itself, and may fail without a word.
    void touch(std::int64_t in, std::string const& path, std::string const& data);
    // On the loop: returns when it has come to pass that the node is gone (or was ever touched), when the session has
    // expired, or at `until`; or too early.
    awaitable<void> await_change(std::int64_t in, std::string path, zoo_change what, instant until);
    // The same, for one of these children to be gone.
    awaitable<void> await_departure(std::int64_t in, std::string path, std::vector<std::string> of, instant until);

private:
    class listener;
    class watcher;

    static awaitable<std::int64_t> connect_on_loop(std::shared_ptr<zoo_session> me);
    void open();
    void shut();
    // Of the client that is connected, which cannot go meanwhile.
    template <class Request>
    auto ask(std::int64_t in, Request request);
    awaitable<zoo_reply> answer_to(zoo_client::ticket asked);
    void heard_state(unsigned number, zoo_state now, std::int64_t id, duration timeout);
    void heard_change(std::string const& path);

    zoo_parts parts_;
    unsigned opened_ = 0; // which of the clients it is: events of those before are ignored

    mutable std::mutex mutex_; // of what follows; who changes it is on the loop
    std::unique_ptr<zoo_client> client_;
    bool connected_ = false;
    std::int64_t id_ = 0;
    duration timeout_{};

    std::list<waker*> states_;                   // of those who wait for a connection
    std::multimap<std::string, waker*> watches_; // of those who wait for a change
};

} // namespace baton::lock
