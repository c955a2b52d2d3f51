#pragma once
// Checks on configuration. Each problem names the key, the rule and so the remedy.

#include "libs/base/error.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace baton {

// Collects the rules of a configuration that do not hold, so that a person reads of all of them at once. Of a key the
// first counts.
class setting_check {
public:
    // `rule` continues the key ("election.tick"): "must be at least 50ms".
    void require(bool holds, std::string const& key, std::string const& rule)
    {
        bool const told = std::any_of(problems_.begin(), problems_.end(),
                                      [&](invalid_input const& each) { return each.field() == key; });
        if (!holds && !told)
            problems_.emplace_back(key, key + " " + rule);
    }

    std::vector<invalid_input> const& problems() const { return problems_; }

private:
    std::vector<invalid_input> problems_;
};

// Throws the first problem of the settings, if there is one: invalid_input that names the key.
template <class Settings>
void require_valid(Settings const& given)
{
    setting_check all;
    given.check(all);
    if (!all.problems().empty())
        throw invalid_input(all.problems().front());
}

} // namespace baton
