import Domain
import Files
import Transport

/// A fetcher that downloads offered files and verifies them.
struct ArtifactFetcher {
    let client: HTTPClient
    let folder: SyncFolder
    let clock: any ClientClock
    let cryptography: any Cryptography
    /// The progress callback: package, downloaded bytes, all bytes.
    let progress: (PackageID, Int, Int) -> Void

    /// A downloaded file of the offered size and digest.
    struct Fetched {
        let path: String
        /// The bytes downloaded for it.
        let bytes: Int
    }

    /// Downloads a file; throws `signatureInvalid` before the download if no trusted key signed the offer.
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
        // Valid partial responses may combine to an invalid file: download it once more from the start.
        let wasResumed = bytes < offer.size
        try remove(offer)
        if wasResumed {
            bytes += try run(download, offer, package)
            if try digest(of: path, size: offer.size) == offer.digest { return Fetched(path: path, bytes: bytes) }
            try remove(offer)
        }
        throw PackageFailure(.digestMismatch, "the downloaded file is not the signed one.")
    }

    /// Throws `signatureInvalid` unless a trusted key signed the offer.
    func verify(
        _ offer: ArtifactOffer, of package: PackageID, version: VersionString, trusting keys: TrustedKeys
    ) throws(PackageFailure) {
        let message = offer.signedBytes(app: keys.app, package: package, version: version)
        guard keys.verify(offer.signatures, of: message, by: cryptography) else {
            throw PackageFailure(
                .signatureInvalid, "no key in keys.json has signed the offered version \(version).")
        }
    }

    /// Removes a file that is no longer needed; if that fails, it is removed once no config names it.
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
            case .transport(.responseTooLarge):
                try remove(offer)
                throw PackageFailure(.sizeMismatch, "the file is larger than the signed size of \(offer.size) bytes.")
            case .transport(.localFile(let failure)): throw PackageFailure(failure)
            default: throw PackageFailure(.downloadFailed, error.description)
            }
        }
    }

    private func digest(of path: String, size: Int) throws(PackageFailure) -> SHA256Digest {
        do throws(SystemError) {
            // An empty file is never requested, so it may not exist.
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
