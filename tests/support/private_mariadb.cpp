#include "tests/support/private_mariadb.hpp"

#include "tests/support/script.hpp"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <poll.h>
#include <stdexcept>
#include <sys/syscall.h>
#include <unistd.h>

namespace baton::test {

namespace {

bool all_stopped(int process)
{
    for (auto const& thread : std::filesystem::directory_iterator("/proc/" + std::to_string(process) + "/task")) {
        std::ifstream file(thread.path() / "stat");
        std::string line;
        std::getline(file, line);
        auto const name_end = line.rfind(')');
        if (name_end != std::string::npos && line.compare(name_end, 3, ") T") != 0)
            return false;
    }
    return true;
}

} // namespace

std::string mysql_server()
{
    if (char const* const given = std::getenv("BATON_TEST_MYSQL"); given != nullptr && *given != '\0')
        return given;
    static private_mariadb own;
    return own.url();
}

private_mariadb::private_mariadb() : folder_(make_folder("mariadb"))
{
    start();
}

private_mariadb::~private_mariadb()
{
    std::error_code ignored;
    try {
        resume();
        script("private-mariadb stop '" + folder_ + "'");
    } catch (std::runtime_error const& failure) {
        std::fprintf(stderr, "%s\n", failure.what());
    }
    std::filesystem::remove_all(folder_, ignored);
}

void private_mariadb::start()
{
    url_ = script("private-mariadb start '" + folder_ + "'");
}

int private_mariadb::pid() const
{
    int value = 0;
    std::ifstream(folder_ + "/server.pid") >> value;
    return value;
}

void private_mariadb::kill()
{
    int const handle = static_cast<int>(syscall(SYS_pidfd_open, pid(), 0));
    if (handle < 0)
        throw std::runtime_error("the server does not run");
    ::kill(pid(), SIGKILL);
    pollfd ended{handle, POLLIN, 0}; // readable once the process has ended
    ::poll(&ended, 1, 10'000);
    ::close(handle);
}

void private_mariadb::suspend()
{
    int const server = pid();
    ::kill(server, SIGSTOP);
    // A thread that runs on another core stops a little later, and may answer until then.
    for (int i = 0; !all_stopped(server); ++i) {
        if (i == 5'000)
            throw std::runtime_error("the server does not stop on SIGSTOP");
        ::poll(nullptr, 0, 1);
    }
}

void private_mariadb::resume()
{
    if (int const server = pid(); server > 0)
        ::kill(server, SIGCONT);
}

} // namespace baton::test
