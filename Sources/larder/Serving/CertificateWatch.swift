import Domain
import Synchronization
import TLS

/// A watch that reloads the server's certificates when their files change.
final class CertificateWatch: Sendable {
    private let certificates: TLSCertificates
    private let log: any Log
    private let isReloadWanted = Mutex(false)

    /// The interval of checks for a requested reload, and the number of intervals between checks of the files.
    private static let period: Duration = .seconds(1)
    private static let periodsPerCheck = 5

    init(_ certificates: TLSCertificates, log: any Log) {
        self.certificates = certificates
        self.log = log
    }

    /// Requests an unconditional reload, which happens within a second.
    func reload() {
        isReloadWanted.withLock { $0 = true }
    }

    /// Reloads the files on request and after changes until cancelled; blocks its thread.
    ///
    /// Logs an unusable file once.
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
            guard isWanted || periods % Self.periodsPerCheck == 0 else { continue }
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
