#pragma once
// Host names to addresses, for the client's connection pool. Private to this folder.

#include "libs/base/asio.hpp"
#include "libs/base/time.hpp"

#include <boost/asio/ip/address.hpp>
#include <boost/asio/steady_timer.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace baton::http {

struct resolved {
    std::vector<asio::ip::address> addresses{};
    error_code failed{}; // then there are no addresses
};

struct resolver_settings {
    // Names that are looked up at the same time; a thread ends when no name waits. More than the 50 clients of a
    // service that a node proves at a time, so that the names of one service, which may hang, leave threads for others.
    std::size_t threads = 64;
    duration keep = 30s;         // then an answer is looked up again, and serves until the new one is there
    duration keep_stale = 10min; // the age of an answer that serves no longer
    duration keep_failure = 2s;  // in which a name that failed is not looked up again
    std::size_t names = 10'000;  // remembered
};

// Looks up names on threads of its own, because the system's lookup blocks, for many seconds if a name server does not
// answer; Asio's own resolver has one thread for each loop, so a slow name would make all others wait. All requests for
// a name share one lookup. On the loop only, except where a comment says otherwise.
class resolver : public std::enable_shared_from_this<resolver> {
public:
    using lookup = std::function<resolved(std::string const& name)>; // blocks; on any thread

    resolver(asio::any_io_executor loop, time_source& time, resolver_settings settings = {},
             lookup how = system_lookup);
    ~resolver();

    // The known addresses or failure of the name. Nothing if it must be looked up; then a lookup is under way.
    std::optional<resolved> find(std::string const& name);

    // While it lives, the answer to the lookup that is under way is put into `answer`, and `done` is cancelled then.
    class waiter {
    public:
        waiter(resolver& all, std::string const& name, asio::steady_timer& done, std::optional<resolved>& answer);
        ~waiter();
        waiter(waiter const&) = delete;
        waiter& operator=(waiter const&) = delete;

    private:
        friend class resolver;
        std::shared_ptr<resolver> all_;
        std::string name_;
        asio::steady_timer& done_;
        std::optional<resolved>& answer_;
    };

    // None of its addresses could be connected to: it is looked up again.
    void forget(std::string const& name);

    // No lookup answers any more. Call it before the loop is destroyed; a lookup that hangs then outlives both.
    void close();

    static resolved system_lookup(std::string const& name);

private:
    struct entry {
        resolved answer;
        instant answered{};
        bool known = false; // and not forgotten
        bool under_way = false;
        std::vector<waiter*> waiters;
    };
    struct shared_state;

    bool is_fresh(entry const& one, instant now) const;
    void start(std::string const& name, entry& of);
    void finish(std::string const& name, resolved answer);
    void drop_old();

    time_source& time_;
    resolver_settings settings_;
    std::unordered_map<std::string, entry> names_;
    std::shared_ptr<shared_state> shared_; // with the threads
};

} // namespace baton::http
