#pragma once

#include <string>

namespace baton::test {

// "mysql://user:password@127.0.0.1:port" of a server whose databases tests may make and drop: the one that
// BATON_TEST_MYSQL names, or one that is started at the first call and stopped when the process ends.
std::string mysql_server();

// A server of the caller's own, for tests that kill it. Its data is gone with the object.
class private_mariadb {
public:
    private_mariadb();
    ~private_mariadb();
    private_mariadb(private_mariadb const&) = delete;
    private_mariadb& operator=(private_mariadb const&) = delete;

    std::string const& url() const { return url_; }
    void kill();    // SIGKILL; returns when the process is gone
    void suspend(); // SIGSTOP
    void resume();
    void start(); // again, at the same address

private:
    int pid() const;

    std::string folder_;
    std::string url_;
};

} // namespace baton::test
