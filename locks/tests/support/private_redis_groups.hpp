#pragma once

#include <string>
#include <vector>

namespace baton::test {

// Servers of the caller's own that belong together, for tests that break them. `who` is one of them, by its folder's
// name.
class private_redis_group {
public:
    std::string const& url() const { return url_; }
    void start(std::string const& who, std::string const& options = {}) { order("start", who, options); }
    void kill(std::string const& who) { order("kill", who); }     // SIGKILL; returns when the process is gone
    void freeze(std::string const& who) { order("freeze", who); } // SIGSTOP
    void thaw(std::string const& who) { order("thaw", who); }
    std::string ask(std::string const& who, std::string const& command) { return order("ask", who, command); }
    std::string port(std::string const& who) const;

protected:
    private_redis_group(std::string script, std::string const& options);
    ~private_redis_group();
    private_redis_group(private_redis_group const&) = delete;
    private_redis_group& operator=(private_redis_group const&) = delete;

    std::string script_;
    std::string folder_;

private:
    std::string order(std::string const& what, std::string const& who, std::string const& more = {}) const;

    std::string url_;
};

// A master with two replicas, "server-1" to "server-3", and "sentinel-1" to "sentinel-3", which replace a master that
// is silent for a second.
class private_redis_sentinels : public private_redis_group {
public:
    private_redis_sentinels() : private_redis_group("private-redis-sentinel", "1000") {}
    std::string master() const; // whom the first sentinel takes for it
};

// Three masters, "node-1" to "node-3".
class private_redis_cluster : public private_redis_group {
public:
    private_redis_cluster() : private_redis_group("private-redis-cluster", "") {}
};

} // namespace baton::test
