#include "libs/protocol/document.hpp"

#include "libs/base/characters.hpp"
#include "libs/base/error.hpp"

#include <set>
#include <vector>

namespace baton::protocol {

namespace {

constexpr int max_depth = 64;

// Sees each part of a document while it is parsed, and throws for what the parser would accept.
class key_check {
public:
    bool operator()(int depth, nlohmann::json::parse_event_t event, nlohmann::json const& part)
    {
        using event_t = nlohmann::json::parse_event_t;
        bool const opens = event == event_t::object_start || event == event_t::array_start;
        if (opens && depth >= max_depth)
            throw invalid_input("", "JSON is nested deeper than " + std::to_string(max_depth));
        if (event == event_t::object_start)
            open_.emplace_back();
        else if (event == event_t::object_end)
            open_.pop_back();
        else if (event == event_t::key)
            add(part.get_ref<std::string const&>());
        return true;
    }

private:
    struct object {
        std::set<std::string> keys;
        std::string last; // the key whose value is being read
    };

    void add(std::string const& key)
    {
        auto& here = open_.back();
        here.last = key;
        if (!here.keys.insert(key).second)
            throw invalid_input(path(), path_shown() + " is given twice");
    }

    std::string path() const
    {
        std::string text;
        for (auto const& each : open_)
            text += (text.empty() ? "" : ".") + each.last;
        return text;
    }

    std::string path_shown() const
    {
        auto const text = path();
        auto const shown = in_quotes(text);
        return shown == "'" + text + "'" ? text : shown;
    }

    std::vector<object> open_;
};

} // namespace

nlohmann::json parse_document(std::string const& text, comments allowed)
{
    key_check check;
    auto const watch = [&](int depth, nlohmann::json::parse_event_t event, nlohmann::json& part) {
        return check(depth, event, part);
    };
    try {
        return nlohmann::json::parse(text, watch, true, allowed == comments::ignored);
    } catch (nlohmann::json::exception const& wrong) {
        std::string why = wrong.what(); // "[json.exception.parse_error.101] parse error at line 1, ..."
        if (auto const end = why.find("] "); end != std::string::npos)
            why.erase(0, end + 2);
        throw invalid_input("", "not JSON: " + why);
    }
}

} // namespace baton::protocol
