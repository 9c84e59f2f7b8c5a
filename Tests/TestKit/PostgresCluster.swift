import Foundation
import Synchronization

/// A PostgreSQL server for the tests of this process, with a cluster of its own in a temporary folder.
///
/// The folder is in memory if the system has a file system there with a gigabyte of room: creating a database copies
/// 300 files.
///
/// A supervising shell starts the server for the first test that needs it. The shell reads from a pipe of the test
/// process, so that it stops the server and removes the folder however that process ends.
package final class PostgresCluster: Sendable {
    /// The cluster of the process.
    package static let shared = Result { try PostgresCluster() }

    /// The user who owns the databases; the server asks only ``guardedUser`` for a password.
    package static let user = "larder"
    /// A user whom the server asks for a password, and who exists once a test has created the user.
    package static let guardedUser = "guarded"

    /// The folder of the server's socket.
    package let folder: String
    private let session: Mutex<Session>

    /// The session of `psql` that creates and drops databases, one statement at a time.
    fileprivate struct Session {
        let statements: FileHandle
        let results: FileHandle
        var unread = ""
        /// The templates that are complete.
        var templates: Set<String> = []
        var count = 0
        /// Databases of finished tests, dropped together with the creation of the next one.
        var discarded: [String] = []
    }

    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    private init() throws {
        var session = try Session.start()
        folder = try session.nextLine()
        guard folder.hasPrefix("/") else {
            throw Failure(description: "PostgreSQL does not start: \(folder) \(session.restOfOutput())")
        }
        self.session = Mutex(session)
    }

    /// Returns the URL of a database.
    package func url(of database: String, user: String = user) -> String {
        "postgresql://\(user)@/\(database)?host=\(folder)"
    }

    /// Creates an empty database, and returns its name.
    package func makeDatabase() throws -> String {
        try session.withLock { try $0.makeDatabase(from: "template0") }
    }

    /// Creates a database as a copy of a template, and returns its name.
    ///
    /// - Parameter prepare: Fills the empty template by its URL, once per process. No connection may be left open.
    package func makeDatabase(from template: String, prepare: (_ url: String) throws -> Void) throws -> String {
        // PostgreSQL copies a template only while it has no connection, so the copies are made one after the other.
        try session.withLock { session in
            if !session.templates.contains(template) {
                try session.execute("DROP DATABASE IF EXISTS \(template)")
                try session.execute("CREATE DATABASE \(template) TEMPLATE template0")
                try prepare(url(of: template))
                session.templates.insert(template)
            }
            return try session.makeDatabase(from: template)
        }
    }

    /// Marks a database as no longer needed; its connections may still be open.
    package func discard(_ database: String) {
        session.withLock { $0.discarded.append(database) }
    }

    /// Runs a statement without a result as a superuser.
    package func execute(_ statement: String) throws {
        try session.withLock { try $0.execute(statement) }
    }
}

extension PostgresCluster.Session {
    /// Starts the supervisor, whose first line of output is the server's folder, or an error.
    static func start() throws -> Self {
        let supervisor = Process()
        let (input, output) = (Pipe(), Pipe())
        // Programs that tests start must not hold the pipe open.
        for handle in [input.fileHandleForWriting, output.fileHandleForReading] {
            _ = fcntl(handle.fileDescriptor, F_SETFD, FD_CLOEXEC)
        }
        // A session of its own: the signals of a terminal end the test process, and then the supervisor does its work.
        supervisor.executableURL = URL(filePath: "/usr/bin/setsid")
        supervisor.arguments = [
            "--fork", "sh", "-c", script, "supervisor", try programs(), getuid() == 0 ? "postgres" : "",
        ]
        supervisor.standardInput = input
        supervisor.standardOutput = output
        supervisor.standardError = output
        try supervisor.run()
        // setsid ends once it has forked, but Process takes it for running while the supervisor holds its descriptors. As long
        // as nobody has waited for it, the thread that waits for exit tests turns in circles, and costs the tests a core.
        while waitpid(supervisor.processIdentifier, nil, 0) < 0, errno == EINTR {}
        return Self(statements: input.fileHandleForWriting, results: output.fileHandleForReading)
    }

    /// Creates the cluster, starts the server, and runs `psql` until the test process ends.
    ///
    /// Without `fsync`, a crash of the machine may damage the cluster, which does not outlive the process anyway.
    private static let script = """
        trap '' HUP INT TERM
        programs=$1 account=$2
        parent=/dev/shm
        if [ ! -w $parent ] || [ "$(df -k --output=avail $parent | tail -n 1)" -lt 1048576 ]; then
            parent=${TMPDIR:-/tmp}
        fi
        folder=$(mktemp -d "$parent/larder-postgres.XXXXXX") || exit 1
        run() { "$@"; }
        if [ -n "$account" ]; then
            chown "$account" "$folder"
            run() { setpriv --reuid="$account" --regid="$account" --init-groups "$@"; }
        fi
        cd "$folder"
        if run "$programs/initdb" -D data -U larder -A trust -E UTF8 --no-locale --no-sync >log 2>&1 \\
            && sed -i '1i local all guarded scram-sha-256' data/pg_hba.conf \\
            && run "$programs/pg_ctl" -D data -l server-log -w start -o "-k $folder -c listen_addresses= -c fsync=off \\
                -c synchronous_commit=off -c full_page_writes=off -c wal_level=minimal -c max_wal_senders=0 \\
                -c autovacuum=off -c jit=off -c shared_buffers=32MB" >>log 2>&1
        then
            echo "$folder"
            psql -X -q -h "$folder" -U larder -d postgres 2>&1
        else
            tail -n 5 log server-log 2>&1
        fi
        run "$programs/pg_ctl" -D data -m immediate -w stop >/dev/null 2>&1
        cd / && rm -rf "$folder"
        """

    /// Returns the folder of the newest installed server's programs.
    private static func programs() throws -> String {
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []
        let debian = versions.compactMap { Int($0) }.sorted(by: >).map { "/usr/lib/postgresql/\($0)/bin" }
        let path = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":").map(String.init) ?? []
        let folder = (debian + path).first { folder in
            ["initdb", "pg_ctl", "postgres"].allSatisfy {
                FileManager.default.isExecutableFile(atPath: "\(folder)/\($0)")
            }
        }
        guard let folder else {
            throw PostgresCluster.Failure(
                description: "PostgreSQL is missing, and this test needs it. Run scripts/bootstrap --tests.")
        }
        return folder
    }

    /// Creates a database, and drops those of finished tests.
    mutating func makeDatabase(from template: String) throws -> String {
        for name in discarded { try execute("DROP DATABASE IF EXISTS \(name) WITH (FORCE)") }
        discarded = []
        count += 1
        let name = "test\(count)"
        // Copying files is faster than writing their pages to the log.
        try execute("CREATE DATABASE \(name) TEMPLATE \(template) STRATEGY file_copy")
        return name
    }

    /// Runs a statement; throws its error.
    mutating func execute(_ statement: String) throws {
        let end = "end-of-statement"
        try statements.write(contentsOf: Data("\(statement);\n\\echo \(end)\n".utf8))
        var output: [String] = []
        while case let line = try nextLine(), line != end { output.append(line) }
        let errors = output.filter { $0.hasPrefix("ERROR:") || $0.hasPrefix("FATAL:") }
        guard errors.isEmpty else {
            throw PostgresCluster.Failure(description: "\(errors.joined(separator: " ")) [\(statement)]")
        }
    }

    mutating func nextLine() throws -> String {
        while true {
            if let end = unread.firstIndex(of: "\n") {
                let line = String(unread[..<end])
                unread.removeSubrange(...end)
                return line
            }
            let data = results.availableData
            guard !data.isEmpty else { throw PostgresCluster.Failure(description: "PostgreSQL has ended: \(unread)") }
            unread += String(decoding: data, as: UTF8.self)
        }
    }

    mutating func restOfOutput() -> String {
        unread + String(decoding: results.readDataToEndOfFile(), as: UTF8.self)
    }
}
