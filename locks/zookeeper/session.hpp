#pragma once
// A session with ZooKeeper for coroutines. The client's thread hands answers to their waiters directly and posts all
// other events to the loop.

#include "locks/zookeeper/client.hpp"

#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace baton::lock {

struct zoo_session_settings {
    std::string hosts; // "host:port,host:port"
    duration timeout;  // of a session, as requested
    duration limit;    // for a connection and for an answer
    asio::any_io_executor loop;
    time_source& time;
};

struct zoo_entry {
    zoo_node made;
    std::vector<std::string> children; // of the parent, including this node
};

enum class zoo_change { removed, written_or_removed };

// On the loop, or on a thread that blocks (run_here()), except the constructor, `close` and where noted. Each call may
// throw `unavailable`: there was no connection, or no answer within the limit. Its effect is then unknown. Answers
// arrive in the order of the calls.
class zoo_session : public std::enable_shared_from_this<zoo_session> {
public:
    explicit zoo_session(zoo_session_settings settings);
    ~zoo_session();
    // Ends the session, which removes the nodes that it owns. Call it when nothing runs on the loop any more. Objects
    // that still refer to the session may then only be destroyed.
    void close();

    // Waits for a connection and returns the session's number. After an expiry it is a new session.
    awaitable<std::int64_t> connect();
    // The session's number; 0 if there was none yet or it has expired.
    std::int64_t id() const;
    duration timeout() const; // as granted by the server
    time_source& time() { return settings_.time; }

    // These do not wait for a connection. `session` is the session that they are meant for; 0 for any.
    //
    // Creates a node unless it exists or its parent is missing.
    awaitable<void> create(std::int64_t session, std::string path, zoo_mode how);
    // Creates an ephemeral sequential node, "PARENT/NAME0000000017", and lists the parent's children, in one round
    // trip. Returns nothing if the parent is missing.
    awaitable<std::optional<zoo_entry>> enter(std::int64_t session, std::string parent, std::string name,
                                              std::string data);
    // The next three act on the leader's state, not on that of a server that lags behind.
    awaitable<std::vector<std::string>> children(std::int64_t session, std::string path);
    awaitable<std::optional<zoo_node>> find(std::int64_t session, std::string path);
    // False if there was none.
    awaitable<bool> remove(std::int64_t session, std::string path);
    // Writes to the node to notify a waiter for that. Does not wait for the answer, and ignores a failure.
    void notify(std::int64_t session, std::string const& path, std::string const& data);
    // On the loop. Returns when the node has been removed (or was ever written), when the session has expired, or at
    // `until`. May return too early.
    awaitable<void> await_change(std::int64_t session, std::string path, zoo_change change, instant until);
    // The same for the removal of one of these children.
    awaitable<void> await_departure(std::int64_t session, std::string path, std::vector<std::string> watched,
                                    instant until);

private:
    class connection_waiter;
    class watcher;

    static awaitable<std::int64_t> connect_on_loop(std::shared_ptr<zoo_session> me);
    void open();
    void shut();
    // Runs a request of the connected client, which cannot be destroyed meanwhile.
    template <class Request>
    auto send(std::int64_t session, Request request);
    awaitable<zoo_reply> answer_to(zoo_client::call sent);
    void state_changed(unsigned number, zoo_state now, std::int64_t id, duration timeout);
    void node_changed(std::string const& path);

    zoo_session_settings settings_;
    unsigned opened_ = 0; // the number of the present client; events of earlier ones are ignored

    mutable std::mutex mutex_; // protects the members below; only the loop changes them
    std::unique_ptr<zoo_client> client_;
    bool connected_ = false;
    std::int64_t id_ = 0;
    duration timeout_{};

    std::list<waker*> connection_waiters_;
    std::multimap<std::string, waker*> watches_; // by path
};

} // namespace baton::lock
