import Artifacts
package import Domain
import Files
import Ground
import Linting

/// A linter of a folder or zip in its published form, without a server: the implementation of `larder lint`.
package struct PackageLinter: Sendable {
    private let entry: TreePath?
    private let urlPrefix: URLPrefix

    /// - Parameter entry: The entry page; `nil` for a package without pages.
    package init(entry: TreePath?, urlPrefix: URLPrefix) {
        self.entry = entry
        self.urlPrefix = urlPrefix
    }

    package enum Outcome: Sendable {
        case checked([LintFinding])
        /// A server would reject the whole package, whatever the contents of its files.
        case refused(PlatformError)
        /// The path is missing or cannot be read.
        case unusable(String)
    }

    /// Lints a folder or a zip; a zip is first unpacked into a scratch folder, within a server's default limits.
    package func lint(_ path: String) -> Outcome {
        do throws(SystemError) {
            switch try Disk.kind(ofTarget: path) {
            case nil: return .unusable("There is nothing at \(path). Give a folder or a zip.")
            case .folder: return lint { () throws(PlatformError) in try BuiltFolder(path) }
            default: break
            }
            let scratch = try ScratchFolder()
            defer { scratch.remove() }
            let folder = "\(scratch.path)/files"
            return lint { () throws(PlatformError) in
                try ZipExtractor.extract(zipAt: path, into: folder)
                return try BuiltFolder(folder)
            }
        } catch {
            return .unusable("\(error).")
        }
    }

    private func lint(_ open: () throws(PlatformError) -> BuiltFolder) -> Outcome {
        do throws(PlatformError) {
            let folder = try open()
            let subject = try subject(folder)
            return .checked(
                try Linter().findings(in: subject) { (content, limit) throws(PlatformError) in
                    try folder.beginning(of: content, upTo: limit)
                })
        } catch {
            return error.code == .badPackage ? .refused(error) : .unusable(error.message)
        }
    }

    private func subject(_ folder: BuiltFolder) throws(PlatformError) -> LintSubject {
        // Without the entry, unwrapping would fail and hide all other findings.
        let isThere = hasEntry(folder.tree)
        let arranged = try UploadArrangement(folder.tree, entry: isThere ? entry : nil, unwrapping: .automatic)
        let descriptors = try arranged.descriptors(entry: isThere ? entry : nil, urlPrefix: urlPrefix) {
            (content, limit) throws(PlatformError) in
            guard content.size <= limit else {
                throw PlatformError(
                    .badPackage, "A descriptor is larger than \(ByteCount.text(limit)). Make it smaller.",
                    reason: "file-too-large")
            }
            return try folder.beginning(of: content, upTo: limit)
        }
        return LintSubject(tree: arranged.tree, entry: entry, urlPrefix: urlPrefix, fileMap: descriptors.fileMap)
    }

    /// Returns whether the entry is at the root, or in the single top folder that unwrapping removes.
    private func hasEntry(_ tree: Tree) -> Bool {
        do throws(PlatformError) {
            _ = try UploadArrangement(tree, entry: entry, unwrapping: .automatic)
            return true
        } catch {
            return error.reason != "entry-missing"
        }
    }
}
