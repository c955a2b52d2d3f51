#pragma once
// How a page of executions is found: the index that leads to it, and how far a search for rare ones goes. For .cpp
// files of this folder.

#include "libs/storage/executions.hpp"
#include "libs/storage/places.hpp"
#include "libs/storage/statement.hpp"

#include <vector>

namespace baton::storage {

// The index along which a page is read.
enum class search_way {
    time,     // of all executions by scheduled_at
    task,     // of a task's executions by scheduled_at
    parent,   // the shards of a broadcast
    open,     // the executions that have not ended, in any order
    failures, // the rows of `failure` by scheduled_at
};

// True if only executions that have not ended can meet the filter.
bool wants_open(execution_filter const& filter);

// `many_open`: more executions are open than a page may look at. Their index has no order of time, so it is of use for
// a few only. Pure.
search_way way_of(execution_filter const& filter, bool many_open);

// True if the index does not show which executions meet the filter, so that a page must end after `filter.look` rows.
// Pure.
bool must_bound(execution_filter const& filter, search_way way);

// A page that may look at a bounded number of rows is read in two queries. SQLite does not use the id in a range of
// (scheduled_at, id), so in one query it would pass all executions of the last row's instant, of which there may be
// hundreds of thousands.
enum class page_part {
    whole,    // of a page without an end
    nearer,   // than the instant of the last row
    last_one, // that instant
};

// The rows of a page, in the order of the list: the FROM clause and the conditions. `e` is the execution; the place of
// a row is (scheduled_at, id).
class execution_search {
public:
    // Asks the database how far the page may look.
    execution_search(soci::session& sql, protocol::namespace_id name_space, execution_filter filter);

    // In the order of the list.
    std::vector<page_part> parts() const;

    void from(statement& ask) const;                  // " FROM execution e", and what a condition needs
    void where(statement& ask, page_part part) const; // without the word; names the last attempt as a
    void order(statement& ask) const;                 // " ORDER BY ... LIMIT "

    // The last row that the page may look at; nothing if the filter leads past no others.
    std::optional<execution_place> const& end() const { return end_; }

private:
    void keep_lead(statement& ask) const;
    void keep_place(statement& ask, std::optional<utc_time> end) const;
    void keep_part(statement& ask, page_part part) const;
    void keep_rest(statement& ask) const;
    place_columns place() const;
    std::optional<execution_place> find_end() const;
    bool ascending() const { return filter_.planned.value_or(false); }

    soci::session& sql_;
    protocol::namespace_id name_space_;
    execution_filter filter_;
    search_way way_;
    std::int64_t now_ = 0; // of the database, if filter_.planned is set
    std::optional<execution_place> end_;
};

} // namespace baton::storage
