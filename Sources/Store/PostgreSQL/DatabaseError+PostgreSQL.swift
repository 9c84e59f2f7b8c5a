import CPostgres

extension DatabaseError {
    /// Creates the error of a result of PostgreSQL, with the primary message, which contains no values of rows.
    static func failed(_ result: OpaquePointer?, on connection: OpaquePointer, statement: String) -> DatabaseError {
        guard let state = field(larder_diagnostic_sqlstate(), of: result) else {
            return lost(message(of: connection), statement: statement)
        }
        var message = field(larder_diagnostic_message(), of: result) ?? "no message"
        if state == "42501" {
            message = "PostgreSQL reports: \(message). Grant the role of the database URL this privilege."
        }
        return DatabaseError(
            code: Code(sqlState: state), origin: "PostgreSQL \(state)", message: message, statement: statement)
    }

    /// Creates the error of a connection that failed, or of a server that did not respond in time.
    static func lost(_ message: String, statement: String) -> DatabaseError {
        DatabaseError(code: .unavailable, origin: "PostgreSQL", message: message, statement: statement)
    }

    /// Returns the message of the last failure of a connection as one line.
    static func message(of connection: OpaquePointer) -> String {
        let text = PQerrorMessage(connection).map { String(cString: $0) } ?? ""
        let lines = text.split(whereSeparator: \.isNewline).map { $0.drop(while: \.isWhitespace) }
            .joined(separator: "; ")
        return lines.isEmpty ? "the connection was lost" : lines
    }

    private static func field(_ code: Int32, of result: OpaquePointer?) -> String? {
        PQresultErrorField(result, code).map { String(cString: $0) }
    }
}

extension DatabaseError.Code {
    /// - Parameter state: The SQLSTATE (postgresql.org/docs/15/errcodes-appendix.html).
    init(sqlState state: String) {
        switch state {
        case "53100": self = .serverFull
        // A read-only server, too many connections, and an idle transaction that the server ended.
        case "25006", "53300", "25P03": self = .unavailable
        // A prepared statement that is missing or exists already: another client, such as a pooler, used the session.
        case "26000", "42P05": self = .unavailable
        // A canceled statement, and a lock that was not free.
        case "57014", "55P03": self = .timedOut
        // Damaged pages and indexes.
        case "XX001", "XX002": self = .corrupt
        // A missing privilege.
        case "42501": self = .unusable
        // The escape of U+0000 in JSON.
        case "22P05": self = .unstorable
        default:
            switch state.prefix(2) {
            case "23": self = .constraint
            case "40": self = .timedOut
            case "08", "57", "28", "3D": self = .unavailable
            default: self = .other
            }
        }
    }
}
