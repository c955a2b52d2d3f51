#pragma once

#include <string>
#include <vector>

namespace baton::test {

// A group of servers of one test, which the test may break. `name` is the folder of a server in the group.
class private_redis_group {
public:
    std::string const& url() const { return url_; }
    void start(std::string const& name, std::string const& options = {}) { order("start", name, options); }
    void kill(std::string const& name) { order("kill", name); }     // SIGKILL; returns when the process is gone
    void freeze(std::string const& name) { order("freeze", name); } // SIGSTOP
    void thaw(std::string const& name) { order("thaw", name); }
    std::string ask(std::string const& name, std::string const& command) const;
    std::string port(std::string const& name) const;

protected:
    private_redis_group(std::string script, std::string const& options);
    ~private_redis_group();
    private_redis_group(private_redis_group const&) = delete;
    private_redis_group& operator=(private_redis_group const&) = delete;

    std::string script_;
    std::string folder_;

private:
    std::string order(std::string const& command, std::string const& name, std::string const& more = {}) const;

    std::string url_;
};

// A master with two replicas, "server-1" to "server-3", and the sentinels "sentinel-1" to "sentinel-3", which replace a
// master that does not answer for a second.
class private_redis_sentinels : public private_redis_group {
public:
    private_redis_sentinels() : private_redis_group("private-redis-sentinel", "1000") {}
    std::string master() const; // by the first sentinel
};

// Three masters, "node-1" to "node-3".
class private_redis_cluster : public private_redis_group {
public:
    private_redis_cluster() : private_redis_group("private-redis-cluster", "") {}
};

} // namespace baton::test
