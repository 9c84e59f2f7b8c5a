import Domain
import Ground

/// The object `larder.json`, which reserves a prefix of a bucket for one installation.
struct PrefixMarker {
    let client: S3Client
    /// The identity of the installation.
    let epoch: String

    private var key: String { client.address.prefix + "larder.json" }
    private static let member = "epoch"

    /// Reserves the prefix, or throws `conflict` if it belongs to another installation.
    ///
    /// Also writes and deletes an object, so that a missing right is found at the start.
    func claim() throws(PlatformError) {
        do throws(S3Error) {
            if try client.read(key) == nil {
                let content = JSON.object([JSON.Member(Self.member, .string(epoch))]).bytes()
                _ = try client.create(key, content)
            }
            let probe = client.address.prefix + "probe-\(epoch)"
            _ = try client.create(probe, [])
            try client.delete(probe)
        } catch { throw PlatformError(starting: error) }
        // Read back: two servers may have written it at once.
        try check()
    }

    /// Throws `conflict` if the prefix does not belong to this installation.
    func check() throws(PlatformError) {
        let content: [UInt8]?
        do throws(S3Error) { content = try client.read(key) } catch { throw PlatformError(starting: error) }
        let owner = content.flatMap { JSON(parsing: $0)?.members }?.first { $0.key == Self.member }?.value.string
        guard owner == epoch else {
            throw PlatformError(
                .conflict,
                "\(client.address) belongs to another installation of Larder (epoch \(owner ?? "unknown") instead of "
                    + "\(epoch)). Give another prefix with --blobs. If this installation replaces the other one, stop "
                    + "that and delete the object '\(key)'.")
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
