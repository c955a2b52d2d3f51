#include "libs/protocol/document.hpp"

#include "libs/base/characters.hpp"
#include "libs/base/error.hpp"
#include "libs/protocol/exact_number.hpp"

#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace baton::protocol {

namespace {

constexpr int max_depth = 64;

// The place in a document that is being read.
class document_place {
public:
    explicit document_place(payload_part payload) : all_(payload == payload_part::all) {}

    void open(bool object) { open_.push_back({object, {}, 0}); }
    void close() { open_.pop_back(); }
    void key(std::string const& name) { open_.back().key = name; }
    // Call it before each value, so that path() can count the items of arrays.
    void value()
    {
        if (!open_.empty() && !open_.back().object)
            ++open_.back().items;
    }

    // The containers that are open within the payload; nothing outside of one.
    std::optional<std::size_t> payload_depth() const
    {
        if (all_)
            return open_.size();
        for (std::size_t i = 0; i < open_.size(); ++i)
            if (open_[i].object && open_[i].key == "payload")
                return open_.size() - i - 1;
        return std::nullopt;
    }

    // "schedule.cron"; with `items`, also the places in arrays: "payload.ids[2]", counted from 0.
    std::string path(bool items) const
    {
        std::string text = all_ ? "payload" : "";
        for (auto const& each : open_) {
            if (each.object)
                text += (text.empty() ? "" : ".") + each.key;
            else if (items)
                text += "[" + std::to_string(each.items - 1) + "]";
        }
        return text;
    }

private:
    struct container {
        bool object;
        std::string key; // whose value is being read
        std::size_t items;
    };

    bool all_;
    std::vector<container> open_;
};

// Sees each part of a document while it is parsed, and throws for what the parser would accept.
class document_check {
public:
    explicit document_check(payload_part payload) : place_(payload) {}

    bool operator()(nlohmann::json::parse_event_t event, nlohmann::json const& part)
    {
        using event_t = nlohmann::json::parse_event_t;
        switch (event) {
        case event_t::object_start:
        case event_t::array_start:
            check_depth();
            place_.open(event == event_t::object_start);
            keys_.emplace_back();
            break;
        case event_t::object_end:
        case event_t::array_end:
            place_.close();
            keys_.pop_back();
            break;
        case event_t::key:
            add(part.get_ref<std::string const&>());
            break;
        case event_t::value:
            doubtful_ = doubtful_ || (part.is_number_float() && place_.payload_depth());
            break;
        }
        return true;
    }

    // A payload has a number that may have been rounded.
    bool doubtful() const { return doubtful_; }

private:
    void check_depth()
    {
        auto const within = place_.payload_depth();
        if (within && *within >= std::size_t{deepest_payload})
            throw invalid_input(place_.path(false), "payload is nested deeper than " + std::to_string(deepest_payload) +
                                                        " levels; write its inner part as a string");
        if (!within && keys_.size() >= std::size_t{max_depth})
            throw invalid_input("", "JSON is nested deeper than " + std::to_string(max_depth));
    }

    void add(std::string const& key)
    {
        place_.key(key);
        if (keys_.back().insert(key).second)
            return;
        auto const path = place_.path(false);
        auto const shown = in_quotes(path);
        throw invalid_input(path, (shown == "'" + path + "'" ? path : shown) + " is given twice");
    }

    document_place place_;
    std::vector<std::set<std::string>> keys_; // of the open containers
    bool doubtful_ = false;
};

// Reads a valid document again, with the text of each number, and throws for one in a payload that would be rounded.
class number_check : public nlohmann::json_sax<nlohmann::json> {
public:
    explicit number_check(payload_part payload) : place_(payload) {}

    bool null() override { return value(); }
    bool boolean(bool) override { return value(); }
    bool number_integer(std::int64_t) override { return value(); }
    bool number_unsigned(std::uint64_t) override { return value(); }
    bool string(std::string&) override { return value(); }
    bool binary(binary_t&) override { return value(); }
    bool number_float(double number, std::string const& text) override
    {
        place_.value();
        if (!place_.payload_depth())
            return true;
        auto const kept = kept_as_double(text, number);
        if (kept == kept_number::exact)
            return true;
        throw invalid_input(place_.path(false),
                            place_.path(true) + ": " + shortened(text) +
                                (kept == kept_number::integer ? " is beyond the integers of 64 bits"
                                                              : " has more digits than a number keeps") +
                                " and would be rounded; write it as a string");
    }
    bool start_object(std::size_t) override { return open(true); }
    bool start_array(std::size_t) override { return open(false); }
    bool end_object() override { return close(); }
    bool end_array() override { return close(); }
    bool key(std::string& name) override
    {
        place_.key(name);
        return true;
    }
    bool parse_error(std::size_t, std::string const&, nlohmann::json::exception const&) override { return false; }

private:
    static std::string shortened(std::string const& text)
    {
        constexpr std::size_t most = 40;
        return text.size() <= most ? text : text.substr(0, most) + "...";
    }
    bool value()
    {
        place_.value();
        return true;
    }
    bool open(bool object)
    {
        place_.value();
        place_.open(object);
        return true;
    }
    bool close()
    {
        place_.close();
        return true;
    }

    document_place place_;
};

} // namespace

nlohmann::json parse_document(std::string const& text, comments allowed, payload_part payload)
{
    document_check check(payload);
    auto const watch = [&](int, nlohmann::json::parse_event_t event, nlohmann::json& part) {
        return check(event, part);
    };
    bool const ignored = allowed == comments::ignored;
    nlohmann::json document;
    try {
        document = nlohmann::json::parse(text, watch, true, ignored);
    } catch (nlohmann::json::exception const& wrong) {
        std::string why = wrong.what(); // "[json.exception.parse_error.101] parse error at line 1, ..."
        if (auto const end = why.find("] "); end != std::string::npos)
            why.erase(0, end + 2);
        throw invalid_input("", "not JSON: " + why);
    }
    if (check.doubtful()) {
        number_check numbers(payload);
        nlohmann::json::sax_parse(text, &numbers, nlohmann::json::input_format_t::json, true, ignored);
    }
    return document;
}

bool rounds_numbers(std::string const& text)
{
    number_check numbers(payload_part::all);
    try {
        nlohmann::json::sax_parse(text, &numbers);
        return false;
    } catch (invalid_input const&) {
        return true;
    }
}

nlohmann::json parse_payload(std::string const& text)
{
    return parse_document(text, comments::refused, payload_part::all);
}

} // namespace baton::protocol
