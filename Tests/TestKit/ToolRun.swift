import Foundation

/// A run of a program to its end.
///
/// Foundation's `Process` reads beyond its buffer if the process has more than a thousand open files, and crashes if no
/// memory follows.
package struct ToolRun {
    /// The exit status; negative for the signal that ended the program.
    package let status: Int32
    package let output: [UInt8]

    package struct CannotStart: Error {
        let program: String
        let code: Int32
    }

    /// Runs a program from the `PATH`.
    ///
    /// - Parameters:
    ///   - folder: The working directory, which contains the output meanwhile.
    ///   - readsErrors: Whether the output includes standard error.
    package init(_ arguments: [String], in folder: String, readsErrors: Bool = false) throws {
        let path = "\(folder)/\(UUID().uuidString).out"
        defer { unlink(path) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        if readsErrors {
            posix_spawn_file_actions_adddup2(&actions, 1, 2)
        } else {
            posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        }
        // Files of other tests in this process would otherwise stay open there; closing an unused number is no error.
        for number in Int32(3)..<1024 { posix_spawn_file_actions_addclose(&actions, number) }
        var argv = (["env", "-C", folder] + arguments).map { strdup($0) } + [nil]
        var envp = ProcessInfo.processInfo.environment.map { strdup("\($0)=\($1)") } + [nil]
        defer { for text in argv + envp { free(text) } }
        var pid: pid_t = 0
        let code = posix_spawnp(&pid, "env", &actions, nil, &argv, &envp)
        guard code == 0 else { throw CannotStart(program: arguments[0], code: code) }
        var ended: Int32 = 0
        while waitpid(pid, &ended, 0) < 0, errno == EINTR {}
        let signal = ended & 0x7F
        status = signal == 0 ? (ended >> 8) & 0xFF : -signal
        output = [UInt8](try Data(contentsOf: URL(filePath: path)))
    }
}
