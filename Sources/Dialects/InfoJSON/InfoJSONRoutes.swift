import API
import Domain
import HTTP

/// The routes of `info.json`, and of the archives and files beside it.
struct InfoJSONRoutes: DialectEndpoint {
    let log: any Log
    let list: InfoJSONEndpoint
    let files: InfoFilesEndpoint

    func addRoutes(to router: inout Router<APIEndpoint>) {
        let list = list
        for prefix in ClientBase.patterns {
            router.addForPages(.get, prefix + "/packages/{package}/info.json", log) {
                head, parameters throws(PlatformError) in
                try list.respond(head, parameters)
            }
            router.addPreflight([.get, .head], prefix + "/packages/{package}/info.json")
        }
    }

    /// Adds the routes of archives, served on every host, and of packages' files, served by the content host only.
    func addContentRoutes(to router: inout Router<APIEndpoint>, redirectingTo contentURL: PublicURL?) {
        let files = files
        for prefix in ClientBase.patterns {
            let pattern = prefix + "/packages/{package}/{path...}"
            router.addPreflight([.get, .head], pattern)
            router.addForPages(.get, pattern, log) { head, parameters throws(PlatformError) in
                try ContentRoutes.refuseServiceWorker(head)
                let base = try parameters.base()
                if let package = parameters.package,
                    let name = ReleaseArchiveName(fileName: parameters.rest ?? "", of: package)
                {
                    return try files.archive(head, base, name)
                }
                guard let contentURL else { return files.file(head, base, parameters) }
                return .respond(ContentRoutes.redirect(head, to: contentURL))
            }
        }
    }
}
