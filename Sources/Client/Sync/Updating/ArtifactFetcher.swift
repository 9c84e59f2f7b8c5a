import Domain
import Files

/// Brings an offered file here and verifies it, before anything is made of it.
struct ArtifactFetcher {
    let client: HTTPClient
    let folder: SyncFolder
    let clock: any ClientClock
    let cryptography: any Cryptography
    /// Package, bytes that are here, bytes in all.
    let progress: (PackageID, Int, Int) -> Void

    /// A file of the size and the digest that were offered.
    struct Fetched {
        let path: String
        /// Bytes that came over the network for it.
        let bytes: Int
    }

    /// Throws `signatureInvalid` before a byte is downloaded where no trusted key signed the offer.
    func fetch(
        _ offer: ArtifactOffer, of package: PackageID, version: VersionString, trusting keys: TrustedKeys
    ) throws(PackageFailure) -> Fetched {
        try verify(offer, of: package, version: version, trusting: keys)
        let url: HTTPURL
        do throws(TransportError) { url = try HTTPURL(offer.url) } catch {
            throw PackageFailure(.invalidOffer, error.description)
        }
        let path = folder.download(offer.digest)
        let download = ResumableDownload(url, to: path, size: offer.size)
        var bytes = try run(download, offer, package)
        if try digest(of: path, size: offer.size) == offer.digest { return Fetched(path: path, bytes: bytes) }
        // What a resumption put together may be wrong where each of its answers is right: once more, from the start.
        let wasResumed = bytes < offer.size
        try remove(offer)
        if wasResumed {
            bytes += try run(download, offer, package)
            if try digest(of: path, size: offer.size) == offer.digest { return Fetched(path: path, bytes: bytes) }
            try remove(offer)
        }
        throw PackageFailure(.digestMismatch, "the file that came is not the one that was signed.")
    }

    /// Throws `signatureInvalid` unless a trusted key signed the offer.
    func verify(
        _ offer: ArtifactOffer, of package: PackageID, version: VersionString, trusting keys: TrustedKeys
    ) throws(PackageFailure) {
        let message = offer.signedBytes(app: keys.app, package: package, version: version)
        guard keys.verify(offer.signatures, of: message, by: cryptography) else {
            throw PackageFailure(
                .signatureInvalid, "no key that keys.json names has signed what is offered as version \(version).")
        }
    }

    /// Removes a file that has done its work; one that stays is swept once no config names it.
    func discard(_ offer: ArtifactOffer) {
        try? ResumableDownload.discard(folder.download(offer.digest))
    }

    private func run(
        _ download: ResumableDownload, _ offer: ArtifactOffer, _ package: PackageID
    ) throws(PackageFailure) -> Int {
        do throws(ResumableDownload.Failure) {
            return try download.run(by: client, clock: clock) { progress(package, $0, offer.size) }
        } catch {
            switch error {
            case .transport(.answerTooLarge):
                try remove(offer)
                throw PackageFailure(.sizeMismatch, "the file is larger than the \(offer.size) bytes that were signed.")
            case .transport(.localFile(let failure)): throw PackageFailure(failure)
            default: throw PackageFailure(.downloadFailed, error.description)
            }
        }
    }

    private func digest(of path: String, size: Int) throws(PackageFailure) -> SHA256Digest {
        do throws(SystemError) {
            // A file of no bytes is never asked for, so it may not be there.
            guard size > 0 else { return cryptography.sha256([]) }
            return try RegularFile(path).digest()
        } catch { throw PackageFailure(error) }
    }

    private func remove(_ offer: ArtifactOffer) throws(PackageFailure) {
        do throws(SystemError) { try ResumableDownload.discard(folder.download(offer.digest)) } catch {
            throw PackageFailure(error)
        }
    }
}
