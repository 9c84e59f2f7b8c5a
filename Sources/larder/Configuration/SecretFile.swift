import Glibc

/// The rules for files with secrets.
enum SecretFile {
    private static let credentialFolder = "CREDENTIALS_DIRECTORY"

    /// Returns the path of a credential that systemd has created for this service only, or `nil` if there is none.
    static func credential(_ name: String, _ environment: [String: String]) -> String? {
        guard let folder = credentials(environment), access("\(folder)/\(name)", F_OK) == 0 else { return nil }
        return "\(folder)/\(name)"
    }

    /// Returns whether a file is in systemd's credential folder.
    ///
    /// Such files skip the check of the mode, which shows their access list as group permissions.
    static func isCredential(_ path: String, _ environment: [String: String]) -> Bool {
        credentials(environment).map { path.hasPrefix("\($0)/") } ?? false
    }

    private static func credentials(_ environment: [String: String]) -> String? {
        environment[credentialFolder].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// Whether accounts other than the owner and the group have access to a file.
    static func isPublic(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & 0o007 != 0
    }

    /// Throws a usage error if other accounts may have read the file.
    ///
    /// - Parameters:
    ///   - content: The expected content, such as "key".
    ///   - remedy: What to do if another account has read it.
    static func requirePrivate(_ path: String, of content: String, _ remedy: String) throws(CommandError) {
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw .usage(SmallFileError.unreadable(code: errno).message(path, of: content))
        }
        guard status.st_mode & 0o077 == 0 else {
            throw .usage(
                "the \(content) \(path) can be accessed by other accounts: run `chmod 600` on it, and \(remedy) if "
                    + "another account may have read it")
        }
    }
}
