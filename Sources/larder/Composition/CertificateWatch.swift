import Domain
import TLS

/// Keeps the server's certificates those that are in their files.
struct CertificateWatch {
    private let certificates: TLSCertificates
    private let log: any Log

    private static let period: Duration = .seconds(5)

    init(_ certificates: TLSCertificates, log: any Log) {
        self.certificates = certificates
        self.log = log
    }

    /// Loads the files again, whatever they are.
    func reload() {
        do throws(TLSError) {
            try certificates.reload()
            log.write("tls.reloaded", [:])
        } catch {
            log.write("tls.reload-failed", ["cause": error.description])
        }
    }

    /// Loads them again whenever they have changed, until cancelled; files that are of no use are said to be once.
    func run() async {
        var failure: TLSError?
        while !Task.isCancelled {
            try? await Task.sleep(for: Self.period)
            do throws(TLSError) {
                if try certificates.reloadIfDue() { log.write("tls.reloaded", [:]) }
                failure = nil
            } catch {
                if error != failure { log.write("tls.reload-failed", ["cause": error.description]) }
                failure = error
            }
        }
    }
}
