#pragma once

#include <string>

namespace baton::test {

// "mysql://user:password@127.0.0.1:port" of a server whose databases tests may make and drop. The server is MariaDB, or
// MySQL with BATON_TEST_ON=mysql9: the one that BATON_TEST_MYSQL or BATON_TEST_MYSQL9 names, or one that the first call
// starts and that stops when the process ends. Ends the process as skipped where MySQL is not installed.
std::string mysql_server();

// A server of the same kind for a test that kills it. Its data is deleted with the object.
class private_mysql {
public:
    private_mysql();
    ~private_mysql();
    private_mysql(private_mysql const&) = delete;
    private_mysql& operator=(private_mysql const&) = delete;

    std::string const& url() const { return url_; }
    void kill() { order("kill"); }      // SIGKILL; returns when the process is gone
    void suspend() { order("freeze"); } // SIGSTOP; returns when every thread has stopped
    void resume() { order("thaw"); }
    void start(); // again, at the same address

private:
    void order(std::string const& command) const;

    std::string folder_;
    std::string url_;
};

} // namespace baton::test
