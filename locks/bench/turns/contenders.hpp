#pragma once
// The locks that are compared: baton's own, the two commands that every lock needs, and the commands that baton sends.

#include <memory>
#include <string>

namespace baton::bench {

// Competes for the lock with the others. Has a client of its own; used by one thread.
class contender {
public:
    virtual ~contender() = default;

    virtual void lock() = 0;
    virtual void unlock() = 0;
};

// `server` is redis://host:port or zookeeper://host:port, `product` is "baton", "bare" or, on Redis, "scripts". Throws.
std::unique_ptr<contender> make_contender(std::string const& server, std::string const& product);

} // namespace baton::bench
