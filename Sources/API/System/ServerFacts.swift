package import Ground

/// The facts that the serving process knows of itself, for `GET /system`.
package struct ServerFacts: Sendable {
    /// A limit of the process, under the name of its setting.
    package struct Limit: Sendable {
        package let name: String
        package let value: Int64
        package let unit: String

        package init(name: String, value: Int64, unit: String) {
            self.name = name
            self.value = value
            self.unit = unit
        }
    }

    /// The bytes of the file system that has the data directory.
    package struct Space: Sendable {
        package let free: Int64
        package let total: Int64

        package init(free: Int64, total: Int64) {
            self.free = free
            self.total = total
        }
    }

    package let version: String
    package let startedAt: Timestamp
    /// The kind of the database, and the number of its schema.
    package let database: (kind: String, schema: Int)
    package let dataDirectory: String
    package let limits: [Limit]
    /// Measures the data directory's file system; returns `nil` if the system does not tell.
    ///
    /// Blocks.
    package let space: @Sendable () -> Space?
    /// Returns the end of the TLS certificate that ends first; `nil` without one.
    package let certificateEnd: @Sendable () -> Timestamp?

    package init(
        version: String, startedAt: Timestamp, database: (kind: String, schema: Int), dataDirectory: String,
        limits: [Limit], certificateEnd: @escaping @Sendable () -> Timestamp?, space: @escaping @Sendable () -> Space?
    ) {
        self.certificateEnd = certificateEnd
        self.version = version
        self.startedAt = startedAt
        self.database = database
        self.dataDirectory = dataDirectory
        self.limits = limits
        self.space = space
    }
}
