import Domain
import Synchronization
import TLS

/// Keeps the server's certificates those that are in their files.
final class CertificateWatch: Sendable {
    private let certificates: TLSCertificates
    private let log: any Log
    private let isReloadWanted = Mutex(false)

    /// How often it is looked whether somebody wants a reload, and how often at the files.
    private static let period: Duration = .seconds(1)
    private static let periodsPerLook = 5

    init(_ certificates: TLSCertificates, log: any Log) {
        self.certificates = certificates
        self.log = log
    }

    /// Has the files loaded again, whatever they are, within a second.
    func reload() {
        isReloadWanted.withLock { $0 = true }
    }

    /// Loads the files when that is wanted, and whenever they have changed, until cancelled; on a thread that may block.
    ///
    /// Files that are of no use are said to be once.
    func run() async {
        var failure: TLSError?
        var periods = 0
        while !Task.isCancelled {
            try? await Task.sleep(for: Self.period)
            periods += 1
            let isWanted = isReloadWanted.withLock { wanted in
                defer { wanted = false }
                return wanted
            }
            guard isWanted || periods % Self.periodsPerLook == 0 else { continue }
            do throws(TLSError) {
                if isWanted { try certificates.reload() }
                let isDue = try certificates.reloadIfDue()
                if isWanted || isDue { log.write("tls.reloaded", [:]) }
                failure = nil
            } catch {
                if isWanted || error != failure { log.write("tls.reload-failed", ["cause": error.description]) }
                failure = error
            }
        }
    }
}
