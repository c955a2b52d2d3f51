#pragma once
// Who takes the lock and gives it back: a lock of baton's, or by hand the two commands that none can do without, or
// those that baton's sends.

#include <memory>
#include <string>

namespace baton::bench {

// On one thread, with a client of its own.
class contender {
public:
    virtual ~contender() = default;

    virtual void lock() = 0;
    virtual void unlock() = 0;
};

// `server` is redis://host:port or zookeeper://host:port, `product` is "baton", "bare" or, on Redis, "scripts". Throws.
std::unique_ptr<contender> make_contender(std::string const& server, std::string const& product);

} // namespace baton::bench
