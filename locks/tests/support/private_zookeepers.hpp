#pragma once

#include <map>
#include <string>

namespace baton::test {

// An ensemble of the caller's own, "node-1" to "node-3", for tests that break it: ZooKeeper must be installed.
class private_zookeepers {
public:
    private_zookeepers();
    ~private_zookeepers();
    private_zookeepers(private_zookeepers const&) = delete;
    private_zookeepers& operator=(private_zookeepers const&) = delete;

    std::string const& url() const { return url_; }
    void start(); // those that do not run, at the addresses that they had; returns when all serve
    void kill(std::string const& who) { order("kill", who); } // SIGKILL; returns when the process is gone
    std::string leader() const;                               // empty: there is none
    std::map<std::string, std::string> sessions() const;      // the number of each that is connected, and to whom

private:
    std::string order(std::string const& what, std::string const& who, std::string const& more = {}) const;
    std::string answer(std::string const& who, std::string const& word) const; // empty: it does not run

    std::string folder_;
    std::string url_;
};

} // namespace baton::test
