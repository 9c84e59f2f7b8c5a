package import API
package import Execution
import Platform

/// All thread pools of a process that serves; docs/architecture.md lists them with their bounds.
///
/// A pool starts its threads when work arrives.
package struct ThreadPools: Sendable {
    /// The pool of publishing: receiving into files, unpacking, deflating, building, signing.
    package let work = WorkExecutor(label: "larder.work")
    /// The pool that builds views of apps; separate from publishing, which may occupy all of its threads.
    package let views = WorkExecutor(label: "larder.views", threads: 2)
    /// The pool that matches files with rules for seed 004's clients.
    package let resources = WorkExecutor(label: "larder.resources", threads: 1)
    /// The pool of smaller patches and of patches that devices request.
    package let patches = WorkExecutor(label: "larder.patches", threads: 1, isBackground: true)
    /// The pool of planned patches that are missing after a change.
    package let planned = WorkExecutor(label: "larder.planned", threads: 1, isBackground: true)
    /// The pool that records and counts devices.
    package let devices = WorkExecutor(label: "larder.devices", threads: 1, isBackground: true)
    /// The pool that aggregates reports into totals.
    package let totals = WorkExecutor(label: "larder.totals", threads: 1)
    /// The pool that signs page grants.
    package let grants = WorkExecutor(label: "larder.grants", threads: 1)
    /// The pool that hashes passwords, one at a time, since each hash needs 64 MiB.
    package let passwords = WorkExecutor(label: "larder.passwords", threads: 1)
    /// The pool that waits for the receivers of webhooks.
    package let webhooks = WorkExecutor(
        label: "larder.webhooks", threads: WebhookSender.width + WebhookSender.testWidth)
    /// The pool that waits for the issuers of identity tokens.
    package let issuers = WorkExecutor(label: "larder.issuers", threads: IssuerDirectory.width)
    /// The pools of requests that need no token.
    package let requests = RequestPools(
        config: WorkExecutor(label: "larder.config", threads: 1),
        coding: WorkExecutor(label: "larder.coding", threads: 1),
        variants: WorkExecutor(label: "larder.variants", threads: 1, isBackground: true),
        reports: WorkExecutor(label: "larder.reports", threads: 2),
        blobs: WorkExecutor(label: "larder.blobs", threads: BlobFetcher.width),
        makeDialectPool: { WorkExecutor(label: $0, threads: 1) })
    /// The thread of the background services, which no other work can occupy.
    package let service = WorkExecutor(label: "larder.service", threads: 1)
    /// The thread that writes the log.
    package let log = WorkExecutor(label: "larder.log", threads: 1)
    /// The thread that writes the access log.
    package let access = WorkExecutor(label: "larder.access", threads: 1)
    /// The thread that watches the files of certificates.
    package let tls = WorkExecutor(label: "larder.tls", threads: 1)

    package init() {}
}
