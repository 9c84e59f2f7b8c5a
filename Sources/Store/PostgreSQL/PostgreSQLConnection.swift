import CPostgres
import Glibc

/// A connection to a server of PostgreSQL, closed at the end of its owner's life.
///
/// Every wait has a deadline, which ends the connection: the state of the server is unknown then.
struct PostgreSQLConnection: ~Copyable {
    let handle: OpaquePointer

    /// Begins to connect, which resolves the host name.
    ///
    /// - Parameter timeout: The TCP user timeout, which applies to connecting and to the established connection.
    init(to address: PostgreSQLAddress, timeout: Duration) throws(DatabaseError) {
        // Parameters before `dbname` are defaults; those after it override the URL.
        var parameters = [
            ("target_session_attrs", "read-write"), ("application_name", ServerName.prefix + ServerName.own),
            ("keepalives_idle", "30"), ("keepalives_interval", "10"), ("keepalives_count", "3"),
            ("tcp_user_timeout", String(timeout.components.seconds * 1_000)), ("dbname", address.url),
        ]
        if let password = address.password { parameters.append(("password", password)) }
        parameters.append(("client_encoding", "UTF8"))
        for (name, value) in address.overrides { parameters.append((name, value)) }
        let started = Self.withStrings(parameters.map(\.0)) { names in
            Self.withStrings(parameters.map(\.1)) { values in PQconnectStartParams(names, values, 1) }
        }
        guard let started else { throw .lost("there is no memory for a connection", statement: "connect") }
        handle = started
    }

    deinit { PQfinish(handle) }

    /// Completes the connection.
    func establish(within limit: TimeLimit) throws(DatabaseError) {
        // A notice would be printed to standard error.
        PQsetNoticeProcessor(handle, { _, _ in }, nil)
        // The details of an error contain values of rows.
        PQsetErrorVerbosity(handle, PQERRORS_TERSE)
        guard PQstatus(handle) != CONNECTION_BAD else { throw failure("connect") }
        var state = PGRES_POLLING_WRITING
        while state != PGRES_POLLING_OK {
            let events = state == PGRES_POLLING_READING ? POLLIN : POLLOUT
            try wait(for: Int16(events), within: limit, statement: "connect")
            state = PQconnectPoll(handle)
            guard state != PGRES_POLLING_FAILED else { throw failure("connect") }
        }
        guard PQsetnonblocking(handle, 1) == 0 else { throw failure("connect") }
    }

    /// Whether the connection is usable as far as libpq knows.
    var isAlive: Bool { PQstatus(handle) == CONNECTION_OK }

    var isInTransaction: Bool {
        switch PQtransactionStatus(handle) {
        case PQTRANS_INTRANS, PQTRANS_INERROR, PQTRANS_ACTIVE: true
        default: false
        }
    }

    /// Flushes the queued statements, and returns the last result; throws the first error.
    ///
    /// - Parameter isSent: The return value of the function of libpq that sent the statements.
    func result(
        sending isSent: Int32, statement: String, within limit: TimeLimit
    ) throws(DatabaseError) -> PostgreSQLResult {
        guard isSent == 1 else { throw failure(statement) }
        try flush(within: limit, statement: statement)
        var last: PostgreSQLResult?
        var failed: DatabaseError?
        while let result = try nextResult(within: limit, statement: statement) {
            let owned = PostgreSQLResult(handle: result)
            if failed == nil, !owned.isSuccess { failed = .failed(result, on: handle, statement: statement) }
            last = consume owned
        }
        if let failed { throw failed }
        guard let last else { throw failure(statement) }
        return last
    }

    /// Sends statements without waiting for the result of each, and returns the number of rows that each
    /// wrote.
    ///
    /// - Parameters:
    ///   - statements: The texts of the statements.
    ///   - send: Sends the statement with an index, and returns the value of libpq's function.
    func pipeline(
        _ statements: [String], within limit: TimeLimit, _ send: (Int) -> Int32
    ) throws(DatabaseError) -> [Int] {
        let first = statements.first ?? ""
        guard PQenterPipelineMode(handle) == 1 else { throw failure(first) }
        for (index, statement) in statements.enumerated() {
            guard send(index) == 1 else { throw failure(statement) }
        }
        guard PQpipelineSync(handle) == 1 else { throw failure(first) }
        try flush(within: limit, statement: first)
        var failed: DatabaseError?
        var counts: [Int] = []
        for statement in statements {
            while let result = try nextResult(within: limit, statement: statement) {
                let owned = PostgreSQLResult(handle: result)
                if failed == nil, !owned.isSuccess { failed = .failed(result, on: handle, statement: statement) }
                counts.append(owned.affected)
            }
        }
        // The result of the synchronization.
        if let result = try nextResult(within: limit, statement: first) { _ = PostgreSQLResult(handle: result) }
        guard PQexitPipelineMode(handle) == 1 else { throw failure(first) }
        if let failed { throw failed }
        return counts
    }

    /// Waits for a notification, for input from another descriptor, or for the end of the limit; discards all
    /// notifications that have arrived.
    func waitForNotification(orInputFrom other: Int32, within limit: TimeLimit) throws(DatabaseError) {
        let statement = "LISTEN"
        while true {
            guard PQconsumeInput(handle) == 1 else { throw failure(statement) }
            var hasNotification = false
            while let notification = PQnotifies(handle) {
                hasNotification = true
                PQfreemem(notification)
            }
            let milliseconds = limit.remainingMilliseconds
            guard !hasNotification, milliseconds > 0 else { return }
            var descriptors = [
                pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0),
                pollfd(fd: other, events: Int16(POLLIN), revents: 0),
            ]
            guard descriptors[0].fd >= 0 else { throw failure(statement) }
            let count = poll(&descriptors, 2, Int32(clamping: milliseconds))
            guard count >= 0 || errno == EINTR else {
                throw .lost("poll failed with errno \(errno)", statement: statement)
            }
            if count > 0, descriptors[1].revents != 0 { return }
        }
    }

    private func flush(within limit: TimeLimit, statement: String) throws(DatabaseError) {
        while true {
            let rest = PQflush(handle)
            guard rest >= 0 else { throw failure(statement) }
            if rest == 0 { return }
            // PostgreSQL may not read on until its output is read.
            try wait(for: Int16(POLLIN | POLLOUT), within: limit, statement: statement)
            guard PQconsumeInput(handle) == 1 else { throw failure(statement) }
        }
    }

    /// Waits for the next result, which the caller clears; returns `nil` after the last of a statement.
    private func nextResult(
        within limit: TimeLimit, statement: String
    ) throws(DatabaseError) -> OpaquePointer? {
        while PQisBusy(handle) == 1 {
            try wait(for: Int16(POLLIN), within: limit, statement: statement)
            guard PQconsumeInput(handle) == 1 else { throw failure(statement) }
        }
        return PQgetResult(handle)
    }

    private func failure(_ statement: String) -> DatabaseError {
        .lost(DatabaseError.message(of: handle), statement: statement)
    }

    private func silence(after limit: TimeLimit, statement: String) -> DatabaseError {
        let host = PQhost(handle).map { String(cString: $0) } ?? ""
        let name = host.isEmpty ? "the server" : host
        return .lost("\(name) did not respond within \(limit.duration.components.seconds) s", statement: statement)
    }

    private func wait(
        for events: Int16, within limit: TimeLimit, statement: String
    ) throws(DatabaseError) {
        while true {
            let milliseconds = limit.remainingMilliseconds
            guard milliseconds > 0 else { throw silence(after: limit, statement: statement) }
            var descriptor = pollfd(fd: PQsocket(handle), events: events, revents: 0)
            guard descriptor.fd >= 0 else { throw failure(statement) }
            let count = poll(&descriptor, 1, Int32(clamping: milliseconds))
            if count > 0 { return }
            guard count == 0 || errno == EINTR else {
                throw .lost("poll failed with errno \(errno)", statement: statement)
            }
        }
    }

    /// Calls `body` with an array of C strings that ends with a null pointer.
    private static func withStrings<Result>(
        _ texts: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Result
    ) -> Result {
        let copies = texts.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        let pointers = copies.map { UnsafePointer<CChar>($0) } + [nil]
        return pointers.withUnsafeBufferPointer { body($0.baseAddress) }
    }
}

/// A limit of the time for an operation, which begins with the creation of the value.
struct TimeLimit {
    let duration: Duration
    let end: ContinuousClock.Instant

    init(_ duration: Duration) {
        self.duration = duration
        end = .now + duration
    }

    /// The milliseconds that are left; not positive once the time is over.
    var remainingMilliseconds: Int64 { Int64((end - .now) / .milliseconds(1)) }
}

/// A result of PostgreSQL, cleared at the end of its owner's life.
struct PostgreSQLResult: ~Copyable {
    let handle: OpaquePointer

    deinit { PQclear(handle) }

    var isSuccess: Bool {
        switch PQresultStatus(handle) {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY: true
        default: false
        }
    }

    /// The name of the command, such as `COMMIT`, with the number of rows.
    var command: String { PQcmdStatus(handle).map { String(cString: $0) } ?? "" }

    /// The number of rows that the statement wrote or returned.
    var affected: Int { PQcmdTuples(handle).flatMap { Int(String(cString: $0)) } ?? 0 }
}
