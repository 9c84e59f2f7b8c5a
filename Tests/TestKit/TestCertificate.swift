import FoundationEssentials
import Glibc
package import TLS

/// Self-signed certificates, made by the `openssl` program in the test's folder.
package enum TestCertificate {
    package struct Failure: Error {
        package let command: String
    }

    /// Creates a certificate for names such as `DNS:app.example` and `IP:127.0.0.1`.
    package static func make(names: [String]) throws -> TLSCertificateFiles {
        let stem = "\(ScratchDirectory.path)/certificate-\(UUID().uuidString)"
        let files = TLSCertificateFiles(certificate: "\(stem).pem", key: "\(stem).key")
        let command =
            "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=test "
            + "-keyout '\(files.key)' -out '\(files.certificate)' "
            + "-addext 'subjectAltName=\(names.joined(separator: ","))' 2>/dev/null"
        guard system(command) == 0 else { throw Failure(command: command) }
        return files
    }

    /// Replaces the files of a certificate and its key by those of another, as in a renewal.
    package static func replace(_ old: TLSCertificateFiles, with new: TLSCertificateFiles) throws {
        for (source, target) in [(new.certificate, old.certificate), (new.key, old.key)] {
            try Data(contentsOf: URL(filePath: source)).write(to: URL(filePath: target), options: .atomic)
        }
    }
}
