import CPostgres
import Glibc

/// A connection whose session is set up, with its prepared statements.
final class PostgreSQLSession {
    private let connection: PostgreSQLConnection
    /// The names of the prepared statements by text and types of the parameters.
    private var prepared: [Preparation: String] = [:]

    private struct Preparation: Hashable {
        let text: String
        let types: [UInt32]
    }

    /// The time for connecting to a host.
    static let connectLimit: Duration = .seconds(5)
    /// The limit for one statement.
    static let statementLimit: Duration = .seconds(30)
    /// The limit for a statement that PostgreSQL completes at once, such as `BEGIN`.
    static let promptLimit: Duration = .seconds(5)
    /// The limit for a script, and the `statement_timeout` in it.
    static let scriptLimit: Duration = .seconds(600)
    /// The number of prepared statements; once it is reached, all are released.
    private static let preparedLimit = 1_000
    /// The oldest version of the server.
    private static let oldestVersion: Int32 = 15_00_00

    /// The settings of the session.
    ///
    /// The server cancels a statement before the client's limit, unless the URL or the role sets another timeout. It
    /// detects the loss of this machine within a minute, which releases the lock of the owner; it does not end an idle
    /// session. A commit is durable.
    private static let settings = """
        SELECT set_config(name, wanted, false) FROM (VALUES
            ('statement_timeout', '25s'), ('lock_timeout', '10s'), ('idle_in_transaction_session_timeout', '60s'))
            AS limits (name, wanted) WHERE current_setting(name) = '0';
        SET tcp_keepalives_idle = 30;
        SET tcp_keepalives_interval = 10;
        SET tcp_keepalives_count = 3;
        SET tcp_user_timeout = 30000;
        SET idle_session_timeout = 0;
        SET client_min_messages = 'warning';
        SET TimeZone = 'UTC';
        SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off';
        """

    /// The settings of a session beside those of other nodes, which wait for its transactions.
    ///
    /// A server that is stopped in a transaction delays the others for this time. A server that waits gives up sooner
    /// than its client.
    private static let sharedSettings = """

        SET idle_in_transaction_session_timeout = 5000;
        SET lock_timeout = 10000;
        """

    /// Connects and sets the session up.
    ///
    /// - Parameter limit: The limit for connecting; `nil` for a second more for each host than the system takes to give a
    ///   silent one up.
    init(to address: PostgreSQLAddress, within limit: Duration? = nil) throws(DatabaseError) {
        // The resolver has no limit, so the limit begins afterwards.
        connection = try PostgreSQLConnection(to: address, timeout: Self.connectLimit)
        try connection.establish(
            within: TimeLimit(limit ?? (Self.connectLimit + .seconds(1)) * address.hostCount))
        let version = PQserverVersion(connection.handle)
        guard version >= Self.oldestVersion else {
            throw .unusable(
                "PostgreSQL \(version / 10_000).\(version % 10_000) is too old. Larder needs 15 or later.",
                statement: "connect")
        }
        let encoding = PQparameterStatus(connection.handle, "server_encoding").map { String(cString: $0) }
        guard encoding == "UTF8" else {
            throw .unusable(
                "The database has the encoding \(encoding ?? "?"). Create one with ENCODING 'UTF8'.",
                statement: "connect")
        }
        let isShared = address.access == .shared
        _ = try send(Self.settings + (isShared ? Self.sharedSettings : ""), within: Self.statementLimit)
    }

    var isAlive: Bool { connection.isAlive }

    var isInTransaction: Bool { connection.isInTransaction }

    /// Runs statements without parameters, and returns the result of the last one.
    func send(_ text: String, within limit: Duration) throws(DatabaseError) -> PostgreSQLRows {
        let result = try connection.result(
            sending: PQsendQuery(connection.handle, text), statement: text.prefixOfScript,
            within: TimeLimit(limit))
        return PostgreSQLRows(result, of: text)
    }

    /// Waits for a notification, for input from another descriptor, or for the end of a time.
    func waitForNotification(orInputFrom other: Int32, upTo time: Duration) throws(DatabaseError) {
        try connection.waitForNotification(orInputFrom: other, within: TimeLimit(time))
    }

    /// Runs a statement to its end; the first use of its text prepares it.
    func run(_ sql: SQL, within limit: Duration = statementLimit) throws(DatabaseError) -> PostgreSQLRows {
        try limitPrepared()
        let parameters = try PostgreSQLParameters(sql.values, of: sql.text)
        let name = try prepare(Preparation(text: sql.text, types: parameters.types), within: limit)
        let limit = TimeLimit(limit)
        let isSent = parameters.withArrays { values, lengths, formats in
            PQsendQueryPrepared(connection.handle, name, Int32(values.count), values, lengths, formats, 1)
        }
        let result = try connection.result(sending: isSent, statement: sql.text, within: limit)
        return PostgreSQLRows(result, of: sql.text)
    }

    /// Runs statements in order in one round trip, and returns the number of rows that each wrote.
    ///
    /// Throws the error of the first that fails; the server skips those after it.
    func runAll(_ statements: [SQL]) throws(DatabaseError) -> [Int] {
        try limitPrepared()
        var calls: [(name: String, parameters: PostgreSQLParameters)] = []
        calls.reserveCapacity(statements.count)
        for statement in statements {
            let parameters = try PostgreSQLParameters(statement.values, of: statement.text)
            let name = try prepare(Preparation(text: statement.text, types: parameters.types))
            calls.append((name, parameters))
        }
        return try connection.pipeline(statements.map(\.text), within: TimeLimit(Self.statementLimit)) { index in
            let (name, parameters) = calls[index]
            return parameters.withArrays { values, lengths, formats in
                PQsendQueryPrepared(connection.handle, name, Int32(values.count), values, lengths, formats, 1)
            }
        }
    }

    /// Releases the prepared statements if there are too many.
    private func limitPrepared() throws(DatabaseError) {
        guard prepared.count >= Self.preparedLimit else { return }
        _ = try send("DEALLOCATE ALL", within: Self.statementLimit)
        prepared = [:]
    }

    private func prepare(
        _ preparation: Preparation, within limit: Duration = statementLimit
    ) throws(DatabaseError) -> String {
        if let known = prepared[preparation] { return known }
        let name = "larder_\(prepared.count)"
        let isSent = PQsendPrepare(
            connection.handle, name, Self.numbered(preparation.text), Int32(preparation.types.count), preparation.types)
        _ = try connection.result(
            sending: isSent, statement: preparation.text, within: TimeLimit(limit))
        prepared[preparation] = name
        return name
    }

    /// Returns the text with `$1`, `$2` … for its question marks; statements of the store contain no other ones.
    private static func numbered(_ text: String) -> String {
        var result = ""
        var number = 0
        for character in text.unicodeScalars {
            if character == "?" {
                number += 1
                result += "$\(number)"
            } else {
                result.unicodeScalars.append(character)
            }
        }
        return result
    }
}

extension String {
    /// The text for error messages, without most of a long script.
    fileprivate var prefixOfScript: String { utf8.count > 200 ? "\(prefix(200))…" : self }
}
