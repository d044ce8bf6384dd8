/** A small runner: it takes jobs over HTTP and runs them with the shell of the machine. It knows no server from inside. */
export { FolderInUse, openBuilds } from './builds.ts'
export { inheritedEnvironment } from './job/environment.ts'
export { Refused, RunnerClient, ServerUnreachable } from './protocol/client.ts'
export { NotRegistered, type Registered, type Registration, register } from './registration.ts'
export { features, type Runner, type RunnerOptions, startRunner } from './runner.ts'
