#pragma once
// One session of ZooKeeper's C client and its requests.

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
    std::function<void(std::string const& path)> change; // of a watched node
};

class zoo_client {
public:
    // Starts to connect to one of "host:port,host:port". Throws `unavailable`.
    zoo_client(std::string const& hosts, duration timeout, zoo_events events);
    // Ends the session, which removes the nodes that it owns. Waits up to three seconds for the client's threads.
    // Requests without an answer have failed then.
    ~zoo_client();
    zoo_client(zoo_client const&) = delete;
    zoo_client& operator=(zoo_client const&) = delete;

    // These do not block. They throw `unavailable` if the client rejects the request. Answers arrive in the order of
    // the requests.
    using call = std::shared_ptr<zoo_call>;
    call create(std::string const& path, std::string const& data, zoo_mode how);
    call children(std::string const& path);
    call watch_children(std::string const& path);
    call find(std::string const& path);
    call watch(std::string const& path); // leaves no watch if the node is missing
    call write(std::string const& path, std::string const& data);
    call remove(std::string const& path);
    // Later reads see the leader's state, not that of a server that lags behind.
    call sync(std::string const& path);

private:
    struct callbacks;
    struct pending;

    template <class Request>
    call send(Request request);
    pending* keep(call sent);
    call take(pending* kept);

    zoo_events events_;
    std::mutex mutex_; // protects the members below
    std::list<pending> pending_;
    _zhandle* handle_ = nullptr;
};

} // namespace baton::lock
