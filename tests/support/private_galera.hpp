#pragma once

#include <string>
#include <vector>

namespace baton::test {

// "mysql://user:password@127.0.0.1:port" of each of three Galera nodes whose databases tests may make and drop: those
// that BATON_TEST_GALERA names, separated by commas, or three that the first call starts and that stop when the process
// ends. Ends the process as skipped where Galera is not installed.
std::vector<std::string> const& galera_servers();

// Three nodes for a test that breaks them. Nodes count from 0.
class private_galera {
public:
    private_galera();
    ~private_galera();
    private_galera(private_galera const&) = delete;
    private_galera& operator=(private_galera const&) = delete;

    std::vector<std::string> const& urls() const { return urls_; }
    void kill(int node) { order("kill", node); } // SIGKILL; returns when the process is gone
    void restart(int node) { order("restart", node); }
    void freeze(int node) { order("freeze", node); } // SIGSTOP
    void thaw(int node) { order("thaw", node); }
    void cut(int node) { order("cut", node); } // its links to the other nodes
    void heal(int node) { order("heal", node); }

private:
    void order(std::string const& command, int node);

    std::string folder_;
    std::vector<std::string> urls_;
};

} // namespace baton::test
