import API
import Domain
import Glibc
import Ground
import Store
import TLS

extension ServerFacts {
    /// - Parameter connections: The number of connections, which the system may have reduced.
    init(
        _ configuration: ServeConfiguration, connections: Int, certificates: TLSCertificates?,
        startedAt clock: any WallClock
    ) {
        let dialect: SQLDialect = configuration.databaseAddress == nil ? .sqlite : .postgreSQL
        let directory = configuration.dataDirectory
        let limits = configuration.values.compactMap { setting, value -> Limit? in
            guard setting.range != nil, let number = Int64(value.text) else { return nil }
            let isReduced = setting.name == "max-connections"
            return Limit(name: setting.name, value: isReduced ? Int64(connections) : number, unit: setting.unit)
        }
        self.init(
            version: Larder.version, startedAt: clock.now(),
            database: (
                kind: dialect == .sqlite ? "sqlite" : "postgresql",
                schema: Migration.embedded(for: dialect).last?.number ?? 0
            ), dataDirectory: directory, limits: limits,
            certificateEnd: { (certificates?.end).map { Timestamp(milliseconds: $0 * 1_000) } }
        ) { Space(ofFileSystemAt: directory) }
    }
}

extension ServerFacts.Space {
    /// Measures the file system of a path; fails if the system cannot.
    fileprivate init?(ofFileSystemAt path: String) {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return nil }
        let size = Int64(clamping: status.f_frsize)
        self.init(
            free: Int64(clamping: status.f_bavail).multipliedReportingOverflow(by: size).partialValue,
            total: Int64(clamping: status.f_blocks).multipliedReportingOverflow(by: size).partialValue)
    }
}
