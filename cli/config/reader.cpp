#include "cli/config/reader.hpp"

#include "cli/config/duration.hpp"
#include "cli/input_file.hpp"
#include "cli/nearest.hpp"
#include "libs/base/error.hpp"
#include "libs/protocol/document.hpp"

#include <algorithm>
#include <charconv>
#include <sstream>

namespace baton::cli {

namespace {

nlohmann::json parse(std::filesystem::path const& file, std::string const& text)
{
    try {
        auto document = protocol::parse_document(text, protocol::comments::ignored);
        if (!document.is_object())
            throw config_error(file.string() + ": must be a JSON object");
        return document;
    } catch (invalid_input const& wrong) {
        throw config_error(file.string() + ": " + wrong.what());
    }
}

} // namespace

config_error::config_error(std::vector<std::string> lines) : lines_(std::move(lines))
{
    for (auto const& each : lines_)
        what_ += (what_.empty() ? "" : "\n") + each;
}

reader::reader(std::filesystem::path file, nlohmann::json document, environment outside)
    : file_(std::move(file)), document_(std::move(document)), outside_(std::move(outside)), known_{"$schema"}
{}

reader reader::open(std::filesystem::path const& file, environment outside)
{
    auto document = file.empty() ? nlohmann::json::object() : parse(file, read_input_file(file.string()));
    return {file, std::move(document), std::move(outside)};
}

void reader::note(std::string const& path, problem told)
{
    auto const known = [&](problem const& each) { return each.key == told.key; };
    bool const first = std::find(noted_.begin(), noted_.end(), path) == noted_.end() &&
                       std::none_of(problems_.begin(), problems_.end(), known);
    noted_.push_back(path);
    if (first)
        problems_.push_back(std::move(told));
}

bool reader::noted(std::string const& path) const
{
    return std::any_of(noted_.begin(), noted_.end(),
                       [&](std::string const& each) { return each == path || each.starts_with(path + "."); });
}

void reader::report() const
{
    std::vector<std::string> lines;
    for (auto const& each : problems_)
        lines.push_back((file_.empty() ? "" : file_.string() + ": ") + each.key + ": " + each.why);
    if (!lines.empty())
        throw config_error(std::move(lines));
}

std::filesystem::path reader::resolve(std::string const& path) const
{
    return file_.parent_path() / path;
}

nlohmann::json const* reader::in_document(std::string const& path) const
{
    auto const* part = &document_;
    std::istringstream segments(path);
    std::string read;
    for (std::string segment; std::getline(segments, segment, '.');) {
        if (!part->is_object())
            refuse(read, "must be an object");
        auto const member = part->find(segment);
        if (member == part->end())
            return nullptr;
        part = &*member;
        read += (read.empty() ? "" : ".") + segment;
    }
    return part;
}

std::optional<reader::found> reader::find(std::string const& path)
{
    known_.push_back(path);
    auto const* const written = in_document(path);
    auto const name = variable_of(path);
    if (auto const overriding = outside_(name))
        return found{*overriding, name};
    if (written == nullptr)
        return std::nullopt;
    return found{*written, path};
}

// `like` is a text that would be right; empty if none is known.
std::string reader::text_of(found const& got, std::string const& like) const
{
    if (!got.value.is_string())
        refuse(got.origin,
               "must be a string, in double quotes" + (like.empty() ? "" : ", such as " + nlohmann::json(like).dump()));
    auto text = got.value.get<std::string>();
    if (text.find('\0') != std::string::npos)
        refuse(got.origin, "must not contain NUL");
    return text;
}

duration reader::span_of(found const& got) const
{
    try {
        return parse_duration(got.value.is_string() ? got.value.get<std::string>() : "");
    } catch (invalid_input const& wrong) {
        refuse(got.origin, wrong.what());
    }
}

void reader::value(std::string const& path, std::string& into)
{
    attempt(path, [&] {
        if (auto const got = find(path))
            into = text_of(*got, into);
    });
}

void reader::value(std::string const& path, bool& into)
{
    attempt(path, [&] {
        auto const got = find(path);
        if (!got)
            return;
        bool const yes = got->value == true || got->value == "true";
        if (!yes && got->value != false && got->value != "false")
            refuse(got->origin, "must be true or false");
        into = yes;
    });
}

void reader::value(std::string const& path, duration& into)
{
    attempt(path, [&] {
        if (auto const got = find(path))
            into = span_of(*got);
    });
}

void reader::value(std::string const& path, std::chrono::milliseconds& into)
{
    duration span = into;
    value(path, span);
    into = std::chrono::duration_cast<std::chrono::milliseconds>(span);
    if (into != span)
        note(path, "must be a whole number of milliseconds");
}

void reader::value(std::string const& path, std::vector<std::string>& into)
{
    attempt(path, [&] {
        if (auto const got = find(path))
            into = read_list(*got, path);
    });
}

std::vector<std::string> reader::read_list(found const& got, std::string const& path) const
{
    std::vector<std::string> list;
    if (got.value.is_string() && got.origin != path) {
        std::istringstream parts(got.value.get<std::string>());
        for (std::string part; std::getline(parts, part, ',');)
            list.push_back(part);
        return list;
    }
    if (!got.value.is_array())
        refuse(got.origin, R"(must be a list of strings, such as ["first", "second"])");
    for (auto const& each : got.value)
        list.push_back(text_of({each, got.origin + "[" + std::to_string(list.size()) + "]"}));
    return list;
}

std::int64_t reader::number(std::string const& path, std::int64_t fallback, std::int64_t most)
{
    attempt(path, [&] {
        if (auto const got = find(path))
            fallback = read_number(*got, path, {fallback, most});
    });
    return fallback;
}

std::int64_t reader::read_number(found const& got, std::string const& path, bounded const& wanted) const
{
    std::int64_t count = -1;
    if (got.value.is_number_integer()) {
        bool const fits = !got.value.is_number_unsigned() || got.value.get<std::uint64_t>() <= INT64_MAX;
        count = fits ? got.value.get<std::int64_t>() : -1;
    } else if (got.value.is_string() && got.origin != path) {
        auto const text = got.value.get<std::string>();
        auto const [end, failure] = std::from_chars(text.data(), text.data() + text.size(), count);
        if (failure != std::errc{} || end != text.data() + text.size())
            count = -1;
    }
    if (count < 0 || count > wanted.most)
        refuse(got.origin, "must be a whole number from 0 to " + std::to_string(wanted.most) + ", such as " +
                               std::to_string(wanted.like));
    return count;
}

nlohmann::json reader::object(std::string const& path)
{
    known_.push_back(path);
    nlohmann::json members;
    attempt(path, [&] {
        auto const* const written = in_document(path);
        if (written != nullptr && !written->is_object())
            refuse(path, "must be an object");
        if (written != nullptr)
            members = *written;
    });
    return members;
}

namespace {

// The known key of the same object that has nearly this name, if there is one.
std::string proposal(std::string const& key, std::vector<std::string> const& known)
{
    auto const dot = key.rfind('.');
    auto const parent = dot == std::string::npos ? "" : key.substr(0, dot + 1);
    std::vector<std::string> names;
    for (auto const& each : known)
        if (each.starts_with(parent))
            names.push_back(each.substr(parent.size(), each.find('.', parent.size()) - parent.size()));
    auto const right = nearest(key.substr(parent.size()), names);
    return right ? "; did you mean " + parent + *right + "?" : "";
}

} // namespace

void reader::finish()
{
    finish(document_, "");
}

void reader::finish(nlohmann::json const& part, std::string const& path)
{
    for (auto const& [key, value] : part.items()) {
        auto const here = path.empty() ? key : path + "." + key;
        // A key with a dot in it would look like a known path.
        bool const plain = key.find('.') == std::string::npos;
        if (plain && std::find(known_.begin(), known_.end(), here) != known_.end())
            continue;
        bool const leads_on = std::any_of(known_.begin(), known_.end(),
                                          [&](std::string const& each) { return each.starts_with(here + "."); });
        if (!plain || !leads_on)
            note(here, "is not a key that is known here" + proposal(here, known_));
        else if (!value.is_object())
            note(here, "must be an object");
        else
            finish(value, here);
    }
}

} // namespace baton::cli
