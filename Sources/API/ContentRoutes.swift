import Domain
import HTTP

/// The routes of uploaded content, as archives and unpacked; a separate content host has only these.
struct ContentRoutes {
    let blobs: BlobEndpoint
    let online: OnlineEndpoint
    let infoFiles: InfoFilesEndpoint
    let log: any Log

    /// - Parameter contentURL: The base URL of the unpacked copies if another host serves them.
    func add(to router: inout Router<APIEndpoint>, redirectingTo contentURL: PublicURL? = nil) {
        let (blobs, online) = (blobs, online)
        router.addForPages(.get, "/blobs/{digest}/{name}", log) { head, parameters throws(PlatformError) in
            try Self.refuseServiceWorker(head)
            return try blobs.answer(head, parameters)
        }
        router.addPreflight([.get, .head], "/blobs/{digest}/{name}")
        addInfoFiles(to: &router, redirectingTo: contentURL)
        for prefix in ClientBase.contentPatterns {
            for rest in ["", "/{path...}"] {
                let pattern = prefix + "/online/{package}/{version}" + rest
                router.addPreflight([.get, .head], pattern)
                router.addForPages(.get, pattern, log) { head, parameters throws(PlatformError) in
                    try Self.refuseServiceWorker(head)
                    guard let contentURL else { return online.answer(head, parameters) }
                    return .respond(Self.redirect(head, to: contentURL))
                }
            }
        }
    }

    /// Adds the routes of archives, served on every host, and of packages' files, served by the content host only.
    private func addInfoFiles(to router: inout Router<APIEndpoint>, redirectingTo contentURL: PublicURL?) {
        let infoFiles = infoFiles
        for prefix in ClientBase.patterns {
            let pattern = prefix + "/packages/{package}/{path...}"
            router.addPreflight([.get, .head], pattern)
            router.addForPages(.get, pattern, log) { head, parameters throws(PlatformError) in
                try Self.refuseServiceWorker(head)
                let base = try parameters.base()
                if let package = parameters.valid(.package),
                    let name = ReleaseArchiveName(fileName: parameters.rest ?? "", of: package)
                {
                    return try infoFiles.archive(head, base, name)
                }
                guard let contentURL else { return infoFiles.file(head, base, parameters) }
                return .respond(Self.redirect(head, to: contentURL))
            }
        }
    }

    /// Refuses the request by which a browser fetches the script of a service worker.
    ///
    /// The worker of one package's pages would stay in the browser and intercept later requests to this server.
    private static func refuseServiceWorker(_ head: RequestHead) throws(PlatformError) {
        guard head["Service-Worker"]?.lowercased() == "script" else { return }
        throw PlatformError(
            .forbidden,
            "Uploaded pages cannot register a service worker, which would outlive the version that registered it: leave "
                + "out the call of navigator.serviceWorker.register().")
    }

    /// Redirects to the same path and query on another host.
    private static func redirect(_ head: RequestHead, to contentURL: PublicURL) -> Response {
        Response(
            .permanentRedirect,
            fields: [.location: contentURL.text + head.path + head.querySuffix, .cacheControl: "no-cache"]
        ).readableByPages
    }
}
