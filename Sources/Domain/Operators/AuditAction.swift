/// The actions of the audit log, subject before verb; docs/api.md lists them.
package enum AuditAction: String, Sendable, CaseIterable {
    case createApp = "app.create"
    case setAppHealth = "app.health"
    case declareChannel = "channel.declare"
    case deleteChannel = "channel.delete"
    case changeChannel = "channel.change"
    case breakGlass = "channel.break-glass"
    case requestApproval = "approval.request"
    case approve = "approval.approve"
    case rejectApproval = "approval.reject"
    case withdrawApproval = "approval.withdraw"
    case expireApproval = "approval.expire"
    case putPackage = "package.put"
    case deletePackage = "package.delete"
    case prunePackage = "package.prune"
    case publishVersion = "version.publish"
    case setVersionNotes = "version.notes"
    case retireVersion = "version.retire"
    case unretireVersion = "version.unretire"
    case putWaiver = "waiver.put"
    case deleteWaiver = "waiver.delete"
    case makeArchive = "archive.make"
    case makeRelease = "release.make"
    case widenRelease = "release.widen"
    case rescheduleRelease = "release.reschedule"
    case pauseRelease = "release.pause"
    case resumeRelease = "release.resume"
    case haltRelease = "release.halt"
    case completeRelease = "release.complete"
    case rollBackRelease = "release.rollback"
    case judgeRelease = "release.health"
    case advanceRelease = "release.advance"
    case tripRelease = "release.unhealthy"
    case makeReleaseSet = "release-set.make"
    case widenReleaseSet = "release-set.widen"
    case rescheduleReleaseSet = "release-set.reschedule"
    case pauseReleaseSet = "release-set.pause"
    case resumeReleaseSet = "release-set.resume"
    case haltReleaseSet = "release-set.halt"
    case completeReleaseSet = "release-set.complete"
    case rollBackReleaseSet = "release-set.rollback"
    case judgeReleaseSet = "release-set.health"
    case advanceReleaseSet = "release-set.advance"
    case putDeviceList = "device-list.put"
    case deleteDeviceList = "device-list.delete"
    case eraseDevice = "device.erase"
    case putBuild = "build.put"
    case deleteBuild = "build.delete"
    case putPageGrant = "page-grant.put"
    case deletePageGrant = "page-grant.delete"
    case makePreset = "preset.make"
    case deletePreset = "preset.delete"
    case makeKey = "key.make"
    case importKey = "key.import"
    case exportKey = "key.export"
    case retireKey = "key.retire"
    case makeWebhook = "webhook.make"
    case changeWebhook = "webhook.change"
    case deleteWebhook = "webhook.delete"
    case rotateWebhookSecret = "webhook.rotate-secret"
    case pauseWebhook = "webhook.pause"
    case resumeWebhook = "webhook.resume"
    case createToken = "token.create"
    case changeToken = "token.change"
    case rotateToken = "token.rotate"
    case revokeToken = "token.revoke"
    case exchangeToken = "token.exchange"
    case putCITrust = "ci-trust.put"
    case deleteCITrust = "ci-trust.delete"
    case putSignInProvider = "sign-in-provider.put"
    case deleteSignInProvider = "sign-in-provider.delete"
    case createUser = "user.create"
    case changeUser = "user.change"
    case deleteUser = "user.delete"
    case changePassword = "user.password"
    case beginSecondFactor = "user.totp-begin"
    case confirmSecondFactor = "user.totp-confirm"
    case removeSecondFactor = "user.totp-remove"
    case replaceRecoveryCodes = "user.recovery-codes"
    case beginSession = "session.begin"
    case refuseCommandLine = "session.refuse"
    case endSession = "session.end"

    /// Selects the audit action of an action on a release.
    package init(_ action: ReleaseAction.Kind) {
        self =
            switch action {
            case .pause: .pauseRelease
            case .resume: .resumeRelease
            case .halt: .haltRelease
            case .complete: .completeRelease
            case .widen: .widenRelease
            case .reschedule: .rescheduleRelease
            case .rollBack: .rollBackRelease
            }
    }

    /// Selects the audit action of an action on a release set.
    package init(onSet action: ReleaseAction.Kind) {
        self =
            switch action {
            case .pause: .pauseReleaseSet
            case .resume: .resumeReleaseSet
            case .halt: .haltReleaseSet
            case .complete: .completeReleaseSet
            case .widen: .widenReleaseSet
            case .reschedule: .rescheduleReleaseSet
            case .rollBack: .rollBackReleaseSet
            }
    }
}
