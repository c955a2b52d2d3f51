#include "locks/tests/support/private_zookeepers.hpp"

#include "tests/support/script.hpp"

#include <array>
#include <cstdio>
#include <filesystem>

namespace baton::test {

namespace {

constexpr std::array all{"node-1", "node-2", "node-3"};

std::string ensemble(std::string const& command, std::string const& folder)
{
    return script("private-zookeeper-ensemble " + command + " '" + folder + "'");
}

} // namespace

private_zookeepers::private_zookeepers() : folder_(make_folder("zookeeper"))
{
    start();
}

private_zookeepers::~private_zookeepers()
{
    std::error_code ignored;
    try {
        ensemble("stop", folder_);
    } catch (std::runtime_error const& failure) {
        std::fprintf(stderr, "%s\n", failure.what());
    }
    std::filesystem::remove_all(folder_, ignored);
}

void private_zookeepers::start()
{
    url_ = ensemble("start", folder_);
}

std::string private_zookeepers::leader() const
{
    for (auto const* name : all)
        if (answer(name, "srvr").find("Mode: leader") != std::string::npos)
            return name;
    return {};
}

std::map<std::string, std::string> private_zookeepers::sessions() const
{
    std::map<std::string, std::string> found;
    std::string const mark = "sid=";
    for (auto const* name : all) {
        auto const text = answer(name, "cons");
        for (auto at = text.find(mark); at != std::string::npos; at = text.find(mark, at)) {
            at += mark.size();
            found.emplace(text.substr(at, text.find(',', at) - at), name);
        }
    }
    return found;
}

std::string private_zookeepers::answer(std::string const& name, std::string const& word) const
{
    try {
        return order("ask", name, word + " 2>/dev/null");
    } catch (script_failed const&) {
        return {};
    }
}

std::string private_zookeepers::order(std::string const& command, std::string const& name,
                                      std::string const& more) const
{
    return script("private-zookeeper " + command + " '" + folder_ + "/" + name + "' " + more);
}

} // namespace baton::test
