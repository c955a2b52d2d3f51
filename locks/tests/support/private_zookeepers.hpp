#pragma once

#include <map>
#include <string>

namespace baton::test {

// An ensemble of one test, "node-1" to "node-3", which the test may break. It needs ZooKeeper.
class private_zookeepers {
public:
    private_zookeepers();
    ~private_zookeepers();
    private_zookeepers(private_zookeepers const&) = delete;
    private_zookeepers& operator=(private_zookeepers const&) = delete;

    std::string const& url() const { return url_; }
    void start(); // starts stopped nodes at their old addresses; returns when all serve
    void kill(std::string const& name) { order("kill", name); } // SIGKILL; returns when the process is gone
    std::string leader() const;                                 // empty if there is none
    std::map<std::string, std::string> sessions() const;        // the number of each connected session, and its node

private:
    std::string order(std::string const& command, std::string const& name, std::string const& more = {}) const;
    std::string answer(std::string const& name, std::string const& word) const; // empty if it does not run

    std::string folder_;
    std::string url_;
};

} // namespace baton::test
