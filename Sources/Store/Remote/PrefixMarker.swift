import Domain
import Ground

/// The object `larder.json`, which reserves a prefix of a bucket for one installation.
struct PrefixMarker {
    let client: S3Client
    /// The identity of the installation.
    let epoch: String

    private var key: String { client.address.prefix + "larder.json" }
    private static let member = "epoch"

    /// Reserves an unused prefix for an installation without blobs, or throws `conflict` if it belongs to another one.
    func create() throws(PlatformError) {
        do throws(S3Error) {
            if try client.read(key) == nil {
                let content = JSON.object([JSON.Member(Self.member, .string(epoch))]).bytes()
                _ = try client.create(key, content)
            }
        } catch { throw PlatformError(starting: error) }
        // Read back: two servers may have written it at once.
        try check()
    }

    /// Writes and deletes an object, so that a missing right is found at the start.
    func checkRights() throws(PlatformError) {
        do throws(S3Error) {
            let probe = client.address.prefix + "probe-\(epoch)"
            _ = try client.create(probe, [])
            try client.delete(probe)
        } catch { throw PlatformError(starting: error) }
    }

    /// Throws `conflict` if the prefix does not belong to this installation, `busy` if the bucket cannot be asked.
    ///
    /// A missing marker is never created here: the bucket may be the wrong one, or may have lost its objects.
    func check() throws(PlatformError) {
        let content: [UInt8]?
        do throws(S3Error) { content = try client.read(key) } catch { throw PlatformError(starting: error) }
        let address = client.address
        guard let content else {
            throw PlatformError(
                .conflict,
                "\(key) is missing in \(address) at \(address.server), which has to contain the files of this "
                    + "installation. Check --s3-endpoint and --blobs. If the objects were restored there, write "
                    + "\(key) with the epoch of the database, as docs/operations.md states.")
        }
        let owner = JSON(parsing: content)?.members?.first { $0.key == Self.member }?.value.string
        guard owner == epoch else {
            throw PlatformError(
                .conflict,
                "\(address) at \(address.server) belongs to another installation of Larder (epoch "
                    + "\(owner ?? "unknown") instead of \(epoch)). Give another prefix with --blobs. If this "
                    + "installation replaces the other one, stop that and write \(key) with the epoch of the database, "
                    + "as docs/operations.md states.")
        }
    }
}

extension PlatformError {
    /// Converts an error of the bucket for the person who starts the server.
    init(starting error: S3Error) {
        switch error {
        case .localFile(let error): self.init(storing: error)
        case .unreachable, .unavailable, .suspended: self.init(.busy, error.description)
        default: self.init(.storageFailed, error.description)
        }
    }
}
