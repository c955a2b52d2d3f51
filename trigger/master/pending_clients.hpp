#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace baton::trigger {

// The clients that have not answered a question yet, by home. Kept up with each answer and each change of a client, so
// that no step looks at all clients of a service. Pure.
class pending_clients {
public:
    // It must answer at this home. Nothing changes if it must already.
    void expect(std::string const& instance, std::string const& home);
    // It has answered, or is gone.
    void drop(std::string const& instance);
    bool empty() const { return homes_.empty(); }

    // Calls `visit` with each home that has such clients, and a number that rises when one comes to it.
    void each_home(std::function<void(std::string const& home, std::uint64_t arrival)> const& visit) const;
    // At most `most` clients of this home, in turn: those behind `after` first.
    std::vector<std::string> next(std::string const& home, std::string const& after, std::size_t most) const;

private:
    struct at_home {
        std::set<std::string> waiting;
        std::uint64_t arrival = 0;
    };
    using by_home = std::map<std::string, at_home>;

    by_home homes_; // without those that have none
    std::unordered_map<std::string, by_home::iterator> home_of_;
    std::uint64_t arrivals_ = 0;
};

} // namespace baton::trigger
