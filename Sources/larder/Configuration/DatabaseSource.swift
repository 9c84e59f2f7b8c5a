import Glibc
import Store

/// The sources of the address and the password of a database of PostgreSQL.
enum DatabaseSource {
    /// The name of the credential in the unit (`LoadCredential=`).
    static let credentialName = "larder-database-password"

    static let urlHelp =
        "the PostgreSQL database of the metadata: postgresql://USER@HOST/NAME (default: SQLite in the data directory); "
        + "archives are in the data directory, or in the bucket of --blobs"
    static let passwordHelp =
        "a file with the password of the PostgreSQL database; only its owner may have access to the file; by default "
        + "the password is systemd's credential larder-database-password, that of the URL, or what libpq reads "
        + "(PGPASSWORD, .pgpass)"

    /// The limit on the bytes of a password file.
    private static let longest = 1_024

    /// Returns the address from options, or else from the variables of `larder serve`; `nil` without a URL.
    ///
    /// Throws like ``address(_:passwordFile:origin:_:)``.
    static func address(
        _ option: String?, passwordFile path: String?, _ environment: [String: String]
    ) throws(CommandError) -> PostgreSQLAddress? {
        let url = option ?? environment["LARDER_DATABASE"] ?? ""
        let file = path ?? (url.isEmpty ? nil : environment["LARDER_DATABASE_PASSWORD_FILE"])
        return try address(
            url, passwordFile: file ?? "", origin: option == nil ? "LARDER_DATABASE" : "--database", environment)
    }

    /// Returns the address, or `nil` without a URL.
    ///
    /// Throws a usage error if the URL is malformed, two sources have a password, or others can read the file. The
    /// error never contains the URL, which may contain the password.
    ///
    /// - Parameters:
    ///   - path: The file with the password; empty for none.
    ///   - origin: The option or variable of the URL, for error messages.
    static func address(
        _ url: String, passwordFile path: String, origin: String, _ environment: [String: String]
    ) throws(CommandError) -> PostgreSQLAddress? {
        guard !url.isEmpty else {
            guard path.isEmpty else {
                throw .usage("--database-password-file applies only to --database: give the URL with it")
            }
            return nil
        }
        guard let address = PostgreSQLAddress(url) else {
            throw .usage(
                "\(origin) must be a URL such as postgresql://larder@db.example.com/larder; percent-encode special "
                    + "characters in its parts, and use only parameters that libpq knows")
        }
        guard let file = path.isEmpty ? SecretFile.credential(credentialName, environment) : path else {
            return address
        }
        guard !address.hasPassword else {
            throw .usage("\(origin) contains a password, and \(file) has one as well: remove one of them")
        }
        guard let full = address.with(password: try password(in: file, environment)) else {
            preconditionFailure("an address stays valid with a password")
        }
        return full
    }

    private static func password(
        in path: String, _ environment: [String: String]
    ) throws(CommandError) -> String {
        if !SecretFile.isCredential(path, environment) {
            try SecretFile.requirePrivate(path, of: "password", "choose a new password")
        }
        let bytes: [UInt8]
        do throws(SmallFileError) {
            bytes = try SmallFile.read(path, upTo: longest)
        } catch {
            throw .usage(error.message(path, of: "password"))
        }
        let lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
        guard lines.count == 1, let line = lines.first, !line.utf8.contains(0) else {
            throw .usage("\(path) must contain one line, the password of the database")
        }
        return String(line)
    }
}
