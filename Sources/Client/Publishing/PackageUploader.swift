import Artifacts
package import Domain
import Files
package import Ground
import HTTP
package import Transport

/// An uploader that publishes a version: the implementation of `larder publish`.
package struct PackageUploader: Sendable {
    private let operators: OperatorsClient
    private let memory: UploadMemory?

    /// - Parameter memory: The memory of unfinished uploads; `nil` to begin again in each run.
    package init(_ operators: OperatorsClient, remembering memory: UploadMemory? = nil) {
        self.operators = operators
        self.memory = memory
    }

    /// The package, version and options to publish.
    package struct Upload: Sendable {
        package var app: AppID
        package var package: PackageID
        package var version: VersionString
        package var unwrapping: UploadArrangement.Unwrapping
        package var details = VersionDetails.none
        package var requirements = VersionRequirements.none
        /// Whether an existing version is accepted, whatever its content is.
        package var acceptsExisting = false
        /// Whether the server runs every step except storing the version.
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

        /// The path and query below `/api/v1`.
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
            let query = parameters.compactMap { name, value in
                value.map { "\(name)=\(PercentEncoding.encode($0.utf8))" }
            }
            return "\(packagePath)/versions?" + query.joined(separator: "&")
        }

        var packagePath: String { "/apps/\(app)/packages/\(PercentEncoding.encode(package.text.utf8))" }
    }

    /// The outcome of an upload.
    package enum Outcome: Sendable, Equatable {
        /// - Parameter version: The version as the server describes it.
        case published(version: JSON)
        /// The version exists with equal content.
        case unchanged(version: JSON)
        /// The version exists and is accepted; the server reports whether its content is equal.
        case exists(version: JSON)
        /// A dry run succeeded; nothing was stored.
        case possible(version: JSON)
        case refused(Problem)
        /// The request failed; whether the server has changed anything is unknown.
        case failed(TransportError)
        /// The path is missing, the folder cannot be packed, or the response cannot be parsed.
        case unusable(String)
    }

    /// Uploads a zip, or a folder as a zip; blocks until the response has arrived.
    ///
    /// - Parameters:
    ///   - path: A folder, whose files are packed without `.DS_Store` and `__MACOSX`, or a zip.
    ///   - progress: Called with the sent bytes and all bytes.
    package func upload(
        _ path: String, as upload: Upload, progress: (Int, Int) -> Void = { _, _ in }
    ) -> Outcome {
        do throws(SystemError) {
            switch try Disk.kind(ofTarget: path) {
            case nil: return .unusable("There is nothing at \(path). Give a folder or a zip.")
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
            let response = try sendZip(at: zip, upload, progress)
            return switch response.body["status"]?.string {
            case "exists": .exists(version: response.body)
            case "would-publish": .possible(version: response.body)
            default: response.status == 201 ? .published(version: response.body) : .unchanged(version: response.body)
            }
        } catch {
            switch error {
            case .refused(let problem): return .refused(problem)
            case .transport(let failure): return .failed(failure)
            case .malformedResponse: return .unusable(error.description)
            }
        }
    }

    /// Sends a large zip in parts if the server supports that, and any other zip at once.
    private func sendZip(
        at zip: String, _ upload: Upload, _ progress: (Int, Int) -> Void
    ) throws(OperatorsError) -> OperatorsClient.JSONResponse {
        let file: RegularFile
        do throws(SystemError) { file = try RegularFile(zip) } catch { throw .transport(.localFile(error)) }
        if file.size > ResumableUpload.threshold {
            // A missing package or permission is detected before the bytes are sent.
            _ = try operators.call(.get, upload.packagePath)
            let parts: ResumableUpload
            do throws(SystemError) {
                parts = try ResumableUpload(of: file, at: zip, by: operators, remembering: memory)
            } catch {
                throw .transport(.localFile(error))
            }
            if let response = try parts.publish(upload.path, progress: progress) { return response }
        }
        return try operators.call(
            .post, upload.path, body: .file(path: zip), contentType: "application/zip",
            responseTimeout: OperatorsClient.patience, progress: progress)
    }
}
