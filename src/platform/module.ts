import type { Operation, ServedRoute, Service } from '../api/index.ts'
import type { RefSnapshot } from '../infra/git/index.ts'
import type { SshService } from '../infra/ssh/index.ts'
import type { AnyJob } from './jobs/jobs.ts'
import type { Failing } from './monitoring/monitored.ts'
import type { Platform } from './platform.ts'

/** What `fennec check` opens: everything that is stored, without a server. */
export type Stored = Pick<Platform, 'database' | 'git' | 'objects' | 'clock'>

/** Compares what a module has stored with itself. Yields one sentence for each problem. */
export type Check = (stored: Stored) => AsyncIterable<string>

/** Compares rows of a project with the refs of its repository. @returns one sentence for each problem */
export type RefCheck = (stored: Stored, projectId: number, refs: RefSnapshot) => Promise<readonly string[]>

/** A number that the metrics of the server show. A counter only grows while the process runs. */
export type Measure = {
  /** As Prometheus names metrics: `fennec_registry_stored_bytes`. */
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge'
  /** Names of labels, whose values are few. */
  readonly labels?: readonly string[]
  /** The number, or those of all values of the labels. */
  value(platform: Platform): Promise<number | readonly Sample[]>
}

/** A number of a measure with labels. */
export type Sample = { labels: Readonly<Record<string, string>>; value: number }

/** What a domain offers; its line in `modules.ts` mounts it. */
export type Module = {
  readonly name: string
  /** The tags of the OpenAPI document that group its operations, with a sentence about each. */
  readonly tags?: Readonly<Record<string, string>>
  readonly operations: readonly Operation[]
  readonly jobs?: readonly AnyJob[]
  /** Called at the start, when the changes of refs of killed processes are settled, before jobs run and requests are served. */
  readonly recovers?: (platform: Platform) => Promise<void>
  /** Answers requests outside the API, such as git over HTTP. Asked in the order of `modules.ts`, before the API. */
  readonly services?: readonly ((platform: Platform) => Service)[]
  /** Answers SSH; one module has it. */
  // biome-ignore lint/suspicious/noExplicitAny: the identity is the module's own
  readonly ssh?: (platform: Platform) => SshService<any>
  /**
   * Answers requests before all other services, the API included, on servers for which it returns a service: a secondary answers
   * none of them as other servers do.
   */
  readonly front?: (platform: Platform) => Service | null
  /** Answers requests for hosts of their own before everything else: nothing of the server is at these, and nothing of them at its own. */
  readonly hosts?: (platform: Platform) => Service | null
  /** Begins work that lasts as long as the server; null on servers without such work. */
  readonly start?: (platform: Platform) => Promise<{ stop(): Promise<void> } | null>
  /** Documents what the services answer. */
  readonly routes?: readonly ServedRoute[]
  /** What of the module does not work now, for the readiness probe. Asked often: it looks at nothing outside of the process. */
  readonly failing?: (platform: Platform) => Failing[]
  readonly measures?: readonly Measure[]
  /** Run by `fennec check`. */
  readonly checks?: readonly Check[]
  /** Run by `fennec check` for the repository of each project. */
  readonly refChecks?: readonly RefCheck[]
}
