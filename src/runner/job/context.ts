import type { Clock } from '../../infra/clock/index.ts'
import type { JobLog } from '../log/job-log.ts'
import { runProgram } from '../processes/run.ts'
import type { RunnerClient } from '../protocol/client.ts'
import type { JobPayload } from '../protocol/payload.ts'

/** Why a job failed. `message` is a sentence for its log. */
export class JobFailure extends Error {
  readonly reason: string
  readonly exitCode: number | undefined

  /** @param reason one of the failure reasons of contract 04 */
  constructor(reason: string, message: string, exitCode?: number) {
    super(message)
    this.reason = reason
    this.exitCode = exitCode
  }
}

/** The folders of a job. */
export type Folders = {
  /** Where the sources are; jobs of the same project that run one after the other share it. */
  project: string
  /** For scripts and files of variables; removed after the job. */
  temporary: string
  /** Caches of the project. */
  caches: string
  /** All of them are below it. */
  builds: string
}

/** What the parts of a job share. */
export type JobContext = {
  client: RunnerClient
  payload: JobPayload
  folders: Folders
  log: JobLog
  clock: Clock
  /** The environment of its programs. */
  environment: Record<string, string>
  /** Aborted when nothing more of the job must run. */
  signal: AbortSignal
}

/** Runs a program in the folder of the sources, and writes its output into the log. @returns its exit code */
export function runInJob(
  { folders, log, clock, environment, signal }: JobContext,
  [binary, ...parameters]: readonly [string, ...string[]],
  more: { folder?: string; environment?: Record<string, string>; output?: (bytes: Buffer) => void } = {},
): Promise<number> {
  return runProgram({
    ...{ binary, parameters, signal, clock },
    folder: more.folder ?? folders.project,
    environment: { ...environment, ...more.environment },
    output: more.output ?? ((bytes) => log.write(bytes)),
  })
}
