#pragma once

#include <string>

namespace baton::test {

// A Redis server of one test, which the test may break. It needs the package redis-tools.
class private_redis {
public:
    explicit private_redis(std::string options = {}); // of the server's command line
    ~private_redis();
    private_redis(private_redis const&) = delete;
    private_redis& operator=(private_redis const&) = delete;

    std::string const& url() const { return url_; }
    std::string port() const { return url_.substr(url_.rfind(':') + 1); }
    void start();                      // again, at the same address
    void kill() { order("kill"); }     // SIGKILL; returns when the process is gone
    void freeze() { order("freeze"); } // SIGSTOP
    void thaw() { order("thaw"); }
    // The answer as redis-cli prints it. Runs redis-cli itself, since the script costs much more.
    std::string ask(std::string const& command);

private:
    std::string order(std::string const& what, std::string const& more = {});

    std::string options_;
    std::string folder_;
    std::string url_;
};

} // namespace baton::test
