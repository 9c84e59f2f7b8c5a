import Domain
import Platform

extension UploadBody {
    /// Returns the publishing request; throws `invalidRequest` before any of the zip is read.
    func request(for package: Package) throws(PlatformError) -> Publisher.Request {
        Publisher.Request(
            package: package, version: try version, unwrapping: try unwrapping, details: try details,
            requirements: try requirements, ifExists: try ifExists, isDryRun: try isDryRun)
    }

    private var version: VersionString {
        get throws(PlatformError) {
            guard let version = self[.version].flatMap(VersionString.init) else {
                throw PlatformError(
                    .invalidRequest,
                    "'version' is missing or invalid. Send it in the query, such as ?version=1.2.0: \(VersionString.shape)."
                )
            }
            return version
        }
    }

    private var unwrapping: UploadArrangement.Unwrapping {
        get throws(PlatformError) {
            switch self[.unwrap] {
            case nil: .automatic
            case "1": .always
            case "0": .never
            default: throw PlatformError(.invalidRequest, "'unwrap' must be 1 (remove the top folder) or 0 (keep it).")
            }
        }
    }

    /// The details of the version; an empty text counts as missing, since pipelines pass unset variables.
    private var details: VersionDetails {
        get throws(PlatformError) {
            func text(_ parameter: Parameter) -> String? { self[parameter].flatMap { $0.isEmpty ? nil : $0 } }
            do throws(VersionDetails.Fault) {
                return try VersionDetails(notes: text(.notes), commit: text(.commit), author: text(.author))
            } catch {
                throw PlatformError(.invalidRequest, "'\(error.rawValue)' must be \(error.expected).")
            }
        }
    }

    private var requirements: VersionRequirements {
        get throws(PlatformError) {
            do throws(VersionRequirements.Fault) {
                return try VersionRequirements(
                    minAppVersion: self[.minAppVersion], maxAppVersion: self[.maxAppVersion], apis: self[.apis],
                    needs: self[.needs])
            } catch {
                throw PlatformError(.invalidRequest, "'\(error.rawValue)' must be \(error.expected).")
            }
        }
    }

    private var ifExists: Publisher.IfExists {
        get throws(PlatformError) {
            switch self[.ifExists] {
            case nil: .compare
            case "ok": .accept
            default:
                throw PlatformError(
                    .invalidRequest,
                    "'ifExists' must be ok (accept an existing version, whatever its content), or left out."
                )
            }
        }
    }

    private var isDryRun: Bool {
        get throws(PlatformError) {
            switch self[.dryRun] {
            case nil, "0": false
            case "1": true
            default: throw PlatformError(.invalidRequest, "'dryRun' must be 1 (store nothing) or 0 (publish).")
            }
        }
    }
}
