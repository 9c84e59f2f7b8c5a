import Domain

/// The mark of a database that an unfinished move writes to, or that a complete move has copied (decision 0067).
///
/// No server uses a database with a mark.
struct MoveMark: Equatable {
    /// The role of the marked database.
    enum State: String {
        /// The target of a move that is not complete.
        case unfinished
        /// The source of a complete move.
        ///
        /// The raw value is the former name of the case, which databases contain.
        case moved = "left"
    }

    let state: State
    /// The epoch of the moved installation.
    let epoch: String
    /// The other end of the move, for messages.
    let other: String

    /// The table of the mark, which no migration creates.
    static let table = "larder_move"
}

extension Database {
    func moveMark() throws -> MoveMark? {
        let tables: [String] = try values(dialect.tableNames)
        guard tables.contains(MoveMark.table) else { return nil }
        let mark = try row("SELECT state, epoch, other FROM larder_move") { row -> MoveMark in
            let name: String = try row[0]
            guard let state = MoveMark.State(rawValue: name) else { throw row.unreadable(0) }
            return MoveMark(state: state, epoch: try row[1], other: try row[2])
        }
        guard let mark else { throw DatabaseError.unreadable(MoveMark.table, statement: "SELECT") }
        return mark
    }

    func setMoveMark(_ mark: MoveMark) throws {
        try transaction {
            try execute("CREATE TABLE larder_move (state text NOT NULL, epoch text NOT NULL, other text NOT NULL)")
            try execute(
                "INSERT INTO larder_move (state, epoch, other) VALUES (\(mark.state.rawValue), \(mark.epoch), \(mark.other))"
            )
        }
    }

    /// Removes the mark; throws if there is none.
    func removeMoveMark() throws {
        try transaction { _ = try execute("DROP TABLE larder_move") }
    }

    /// Throws `conflict` if the database must not be served: an unfinished move writes to it, or its data were moved.
    func requireNoMove() throws {
        try requireFinishedMove()
        guard let mark = try moveMark() else { return }
        throw PlatformError(
            .conflict,
            "This installation was moved to \(mark.other), which has the later data: serve that one. To use this one "
                + "again, without the changes since the move, drop its table \(MoveMark.table) and set a new epoch "
                + "(docs/operations.md, Moving).")
    }

    /// Throws `conflict` if a move to the database is not complete.
    func requireFinishedMove() throws {
        guard let mark = try moveMark(), mark.state == .unfinished else { return }
        throw PlatformError(
            .conflict,
            "The move of \(mark.other) to this database is not complete. Run 'larder move' again with the same options, "
                + "or serve \(mark.other), which still has the data.")
    }
}
