import Artifacts
package import Domain
import Files
import HTTP

/// Publishes a version: what `larder publish` does.
package struct PackageUploader: Sendable {
    private let operators: OperatorsClient

    package init(_ operators: OperatorsClient) {
        self.operators = operators
    }

    /// What is to be published, under which name and how.
    package struct Upload: Sendable {
        package var app: AppID
        package var package: PackageID
        package var version: VersionString
        package var unwrapping: UploadArrangement.Unwrapping
        package var details = VersionDetails.none
        package var requirements = VersionRequirements.none
        /// Whether a version that is there is fine, whatever it holds.
        package var acceptsExisting = false
        /// Whether the server does everything but keep it.
        package var isDryRun = false

        package init(
            app: AppID, package: PackageID, version: VersionString,
            unwrapping: UploadArrangement.Unwrapping = .automatic
        ) {
            self.app = app
            self.package = package
            self.version = version
            self.unwrapping = unwrapping
        }

        /// Below `/api/v1`.
        var path: String {
            let unwrap: String? =
                switch unwrapping {
                case .automatic: nil
                case .always: "1"
                case .never: "0"
                }
            let parameters: [(name: String, value: String?)] = [
                ("version", version.text), ("unwrap", unwrap), ("notes", details.notes), ("commit", details.commit),
                ("author", details.author), ("ifExists", acceptsExisting ? "ok" : nil),
                ("dryRun", isDryRun ? "1" : nil), ("minAppVersion", requirements.minAppVersion),
                ("maxAppVersion", requirements.maxAppVersion),
                ("apis", requirements.apis.isEmpty ? nil : requirements.apis.joined(separator: ",")),
                ("needs", requirements.dependencies.isEmpty ? nil : requirements.needs),
            ]
            let query = parameters.compactMap { name, value in value.map { "\(name)=\(PercentCoding.encode($0))" } }
            return "\(packagePath)/versions?" + query.joined(separator: "&")
        }

        var packagePath: String { "/apps/\(app)/packages/\(PercentCoding.encode(package.text))" }
    }

    /// How an upload ended.
    package enum Outcome: Sendable, Equatable {
        /// - Parameter version: What the server says of it.
        case published(version: JSON)
        /// The same content was there already under this version.
        case unchanged(version: JSON)
        /// The version was there already, which is fine; the server says whether with the same content.
        case exists(version: JSON)
        /// A dry run: nothing was kept.
        case possible(version: JSON)
        case refused(Problem)
        /// The server could not be asked; nothing is known to have changed.
        case failed(TransportError)
        /// There is nothing to send, the folder could not be packed, or the answer not be read.
        case unusable(String)
    }

    /// Uploads a zip, or a folder as one; blocks until the server has answered.
    ///
    /// - Parameters:
    ///   - path: A folder, whose files are packed without `.DS_Store` and `__MACOSX`, or a zip.
    ///   - progress: Told how many bytes are sent, of how many.
    package func upload(
        _ path: String, as upload: Upload, progress: (Int, Int) -> Void = { _, _ in }
    ) -> Outcome {
        do throws(SystemError) {
            switch try Disk.kind(ofTarget: path) {
            case nil: return .unusable("There is nothing at \(path). Name a folder or a zip.")
            case .folder: break
            default: return send(path, upload, progress)
            }
            let scratch = try ScratchFolder()
            defer { scratch.remove() }
            let zip = "\(scratch.path)/package.zip"
            do throws(PlatformError) { try ZipMaker.pack(path, into: zip) } catch {
                return .unusable(PackageFailure(error).message)
            }
            return send(zip, upload, progress)
        } catch {
            return .unusable("\(error).")
        }
    }

    private func send(_ zip: String, _ upload: Upload, _ progress: (Int, Int) -> Void) -> Outcome {
        do throws(OperatorsError) {
            let answer = try answer(to: zip, upload, progress)
            return switch answer.body["status"]?.string {
            case "exists": .exists(version: answer.body)
            case "would-publish": .possible(version: answer.body)
            default: answer.status == 201 ? .published(version: answer.body) : .unchanged(version: answer.body)
            }
        } catch {
            switch error {
            case .refused(let problem): return .refused(problem)
            case .transport(let failure): return .failed(failure)
            case .malformedAnswer: return .unusable(error.description)
            }
        }
    }

    /// Sends a large zip in parts, where the server takes them, and others at once.
    private func answer(
        to zip: String, _ upload: Upload, _ progress: (Int, Int) -> Void
    ) throws(OperatorsError) -> OperatorsClient.Answer {
        let file: RegularFile
        do throws(SystemError) { file = try RegularFile(zip) } catch { throw .transport(.localFile(error)) }
        if file.size > ResumableUpload.threshold {
            // What stands in the way of a publishing is to be known before the bytes are sent.
            _ = try operators.call(.get, upload.packagePath)
            let parts = ResumableUpload(of: file, at: zip, by: operators)
            if let answer = try parts.publish(upload.path, progress: progress) { return answer }
        }
        return try operators.call(
            .post, upload.path, body: .file(path: zip), contentType: "application/zip",
            answerTimeout: OperatorsClient.patience, progress: progress)
    }
}
