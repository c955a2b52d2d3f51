#pragma once

#include "cli/config/environment.hpp"
#include "libs/base/time.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace baton::cli {

// A configuration that cannot be used. The text has a line for each problem, which names the file, the key and the
// reason: "trigger.json: election.ttl: must be ...".
class config_error : public std::exception {
public:
    explicit config_error(std::string what) : lines_{std::move(what)}, what_(lines_.front()) {}
    explicit config_error(std::vector<std::string> lines); // at least one
    char const* what() const noexcept override { return what_.c_str(); }
    std::vector<std::string> const& lines() const { return lines_; }

private:
    std::vector<std::string> lines_;
    std::string what_;
};

// Reads one configuration: a JSON document with comments, overridden by the environment. The caller asks for each key
// by its path and gives a variable that holds the default; `finish` then refuses all other keys. So one list of keys
// defines the known keys, their meaning, and the variables that override them.
//
// A value that cannot be used is noted as a problem, and the default stays, so that `report` tells all problems at
// once.
class reader {
public:
    // `file` is named in messages, and relative paths start at its folder; empty without a file.
    reader(std::filesystem::path file, nlohmann::json document, environment outside);

    // Reads and parses `file`; an empty path is an empty document. Throws config_error.
    static reader open(std::filesystem::path const& file, environment outside);

    void value(std::string const& path, std::string& into);
    void value(std::string const& path, bool& into);
    void value(std::string const& path, duration& into);
    void value(std::string const& path, std::chrono::milliseconds& into);
    void value(std::string const& path, std::vector<std::string>& into); // in the environment separated by commas

    template <class Number>
    requires(std::is_integral_v<Number> && !std::is_same_v<Number, bool>) void value(std::string const& path,
                                                                                     Number& into)
    {
        constexpr auto most = std::numeric_limits<Number>::max();
        constexpr auto top = std::numeric_limits<std::int64_t>::max();
        into = static_cast<Number>(number(path, static_cast<std::int64_t>(into),
                                          static_cast<std::uint64_t>(most) > static_cast<std::uint64_t>(top)
                                              ? top
                                              : static_cast<std::int64_t>(most)));
    }

    // The key `path` + "_file" names a file whose first line is the secret. Giving both is refused, and so is a file,
    // or a document with the secret in it, that other users can read.
    void secret(std::string const& path, std::string& into);
    // The same; `file` becomes the path of the file that the secret came from, or stays empty.
    void secret(std::string const& path, std::string& into, std::string& file);

    // An object whose keys are names, for the caller to read; null when absent.
    nlohmann::json object(std::string const& path);

    // Notes each key that no call above has named.
    void finish();

    // Notes a document that other users can read if it has `path`, whose value holds a secret, and no variable
    // overrides it.
    void require_private(std::string const& path);

    // A problem of this key. Of a key the first one counts: the others may follow from it.
    struct problem {
        std::string key; // or the variable
        std::string why;
    };
    void note(std::string const& path, std::string const& why) { note(path, problem{path, why}); }
    std::vector<problem> const& problems() const { return problems_; }
    bool noted(std::string const& path) const; // a problem of this key, or of one below it
    // Throws config_error with all problems, if there are any.
    void report() const;

    std::vector<std::string> const& known() const { return known_; }
    std::filesystem::path resolve(std::string const& path) const; // relative to the file's folder

private:
    struct found {
        nlohmann::json value;
        std::string origin; // for messages: the path, or the variable
    };
    // Thrown by what reads a value.
    struct refusal {
        problem told;
    };
    [[noreturn]] static void refuse(std::string const& key, std::string const& why) { throw refusal{{key, why}}; }
    template <class Read>
    void attempt(std::string const& path, Read read)
    {
        try {
            read();
        } catch (refusal const& no) {
            note(path, no.told);
        }
    }
    void note(std::string const& path, problem told);

    std::optional<found> find(std::string const& path);
    nlohmann::json const* in_document(std::string const& path) const;
    std::int64_t number(std::string const& path, std::int64_t fallback, std::int64_t most);
    void finish(nlohmann::json const& part, std::string const& path);
    std::string text_of(found const& got, std::string const& like = {}) const;
    duration span_of(found const& got) const;
    void take_secret(std::string const& path, std::string& into, std::string& named);
    std::string read_secret(std::string const& file, std::string const& origin) const;
    struct bounded {
        std::int64_t like; // one that is right
        std::int64_t most;
    };
    std::int64_t read_number(found const& got, std::string const& path, bounded const& wanted) const;
    std::vector<std::string> read_list(found const& got, std::string const& path) const;

    std::filesystem::path file_;
    nlohmann::json document_;
    environment outside_;
    std::vector<std::string> known_;
    std::vector<problem> problems_;
    std::vector<std::string> noted_; // the paths of the problems
};

} // namespace baton::cli
