#pragma once
// Commands and their files, for tests of the agent.

#include "agent/command.hpp"
#include "libs/base/time.hpp"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <unistd.h>

namespace baton::test {

inline system_time const real_time;

inline agent::call shell(std::string script)
{
    agent::call how;
    how.what.argv = {"/bin/sh", "-c", std::move(script)};
    return how;
}

inline agent::outcome run(agent::call const& how)
{
    return agent::run_command(how, {}, real_time);
}

// A temporary folder for one test.
struct scratch {
    std::filesystem::path folder;
    scratch()
    {
        std::string name = (std::filesystem::temp_directory_path() / "baton-agent-XXXXXX").string();
        folder = mkdtemp(name.data());
    }
    ~scratch() { std::filesystem::remove_all(folder); }
    std::string file(char const* name) const { return (folder / name).string(); }
};

inline std::string content(std::string const& file)
{
    std::ifstream in(file);
    std::string text;
    std::getline(in, text);
    return text;
}

// Runs a command on a thread and stops it once the file `begun` has content.
inline agent::outcome run_until(agent::call const& how, std::string const& begun)
{
    std::stop_source stop;
    agent::outcome result;
    std::thread runner([&] { result = agent::run_command(how, stop.get_token(), real_time); });
    auto const deadline = real_time.now() + 20s;
    while (content(begun).empty() && real_time.now() < deadline)
        std::this_thread::yield();
    stop.request_stop();
    runner.join();
    return result;
}

inline bool exists(pid_t process)
{
    if (kill(process, 0) != 0)
        return false;
    // A zombie has ended, though its parent has not reaped it yet.
    std::ifstream stat("/proc/" + std::to_string(process) + "/stat");
    std::string text;
    std::getline(stat, text);
    return text.find(") Z ") == std::string::npos;
}

inline bool gone(pid_t process)
{
    auto const deadline = real_time.now() + 10s;
    while (exists(process) && real_time.now() < deadline)
        std::this_thread::yield();
    return !exists(process);
}

} // namespace baton::test
