#pragma once
// ZooKeeper's C client: one session, from its beginning to its end, and the requests that it knows.

#include "locks/zookeeper/call.hpp"

#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>

struct _zhandle;

namespace baton::lock {

enum class zoo_state { away, connected, expired, refused };

enum class zoo_mode { persistent, container, ephemeral_sequential };

// Called on the client's threads.
struct zoo_events {
    std::function<void(zoo_state now, std::int64_t session, duration timeout)> state;
    std::function<void(std::string const& path)> change; // of a node that is watched
};

class zoo_client {
public:
    // Begins to connect, to one of "host:port,host:port". Throws `unavailable`.
    zoo_client(std::string const& hosts, duration timeout, zoo_events events);
    // Ends the session, and with it what it owns. Waits for the client's threads to end, which takes them three seconds
    // at most; what is left then has failed.
    ~zoo_client();
    zoo_client(zoo_client const&) = delete;
    zoo_client& operator=(zoo_client const&) = delete;

    // These wait for nothing, and throw `unavailable` where the client does not take a request. They are answered in
    // the order in which they were made.
    using ticket = std::shared_ptr<zoo_call>;
    ticket create(std::string const& path, std::string const& data, zoo_mode how);
    ticket children(std::string const& path);
    ticket watch_children(std::string const& path);
    ticket find(std::string const& path);
    ticket watch(std::string const& path); // leaves no watch where there is no node
    ticket write(std::string const& path, std::string const& data);
    ticket remove(std::string const& path);
    // What is read after this is as the leader knows it, not what a server that lags behind has heard.
    ticket sync(std::string const& path);

private:
    struct answers;
    struct slot;

    template <class Request>
    ticket send(Request request);
    slot* keep(ticket asked);
    ticket take(slot* kept);

    zoo_events events_;
    std::mutex mutex_; // of what follows
    std::list<slot> waiting_;
    _zhandle* handle_ = nullptr;
};

} // namespace baton::lock
