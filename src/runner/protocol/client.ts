import { createWriteStream, openAsBlob } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { bodyOf, handled } from '../../infra/streams/index.ts'
import type { JobPayload } from './payload.ts'

/** The server cannot be reached, or does not answer as one. `message` is a sentence. */
export class ServerUnreachable extends Error {}

/** The server refuses a request. `message` has what it says. */
export class Refused extends Error {
  readonly status: number
  constructor(status: number, text: string) {
    super(text)
    this.status = status
  }
}

/** The program that asks, and what it can do. */
export type ProgramInfo = {
  name: string
  version: string
  platform: string
  architecture: string
  executor: string
  features: Record<string, boolean>
}

/** The credentials of a runner. */
export type Credentials = { token: string; systemId: string }

/** The end of a job. */
export type JobEnding = {
  state: 'success' | 'failed'
  failure_reason?: string
  exit_code?: number
  output: { checksum: string; bytesize: number }
}

/** What the server says about a job when it takes a part of the log or an update. */
export type JobAnswer = {
  httpStatus: number
  jobStatus: string | null
  intervalMs: number | null
  storedBytes: number | null
}

const requestTimeoutMs = 60_000

/** A whole answer. */
type Answer = { status: number; headers: Headers; text: string }

/** What an answer says: its `message` or `error`, or its status. */
function refusalOf({ status, text }: Answer): Refused {
  try {
    const { message, error } = JSON.parse(text)
    const said = message ?? error
    return new Refused(status, typeof said === 'string' ? said : JSON.stringify(said ?? text))
  } catch {
    return new Refused(status, `the server answers ${status}`)
  }
}

/** An answer that is JSON. @throws ServerUnreachable for another one, such as that of a page */
function parsed<Body>({ text, status }: Answer): Body {
  try {
    return JSON.parse(text)
  } catch {
    throw new ServerUnreachable(`the server answers ${status} with something that is not JSON`)
  }
}

function jobAnswerOf({ status, headers }: Answer): JobAnswer {
  const seconds = Number(headers.get('x-gitlab-trace-update-interval'))
  const stored = /^0-(\d+)$/.exec(headers.get('range') ?? '')?.[1]
  return {
    httpStatus: status,
    jobStatus: headers.get('job-status'),
    intervalMs: seconds > 0 ? seconds * 1000 : null,
    storedBytes: stored === undefined ? null : Number(stored),
  }
}

const json = (body: object) => ({
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(body),
})

/** The runner protocol of a server (contract 04, "Runner protocol"). @param url of the server, without a slash at its end */
export class RunnerClient {
  readonly url: string

  constructor(url: string) {
    this.url = url
  }

  /** @throws ServerUnreachable */
  #send(path: string, init: RequestInit): Promise<Answer> {
    return this.#fetch(path, init, AbortSignal.timeout(requestTimeoutMs), (answer) => answer.text())
  }

  /** Creates a runner of the instance. @throws ServerUnreachable, Refused */
  async createRunner(
    administratorToken: string,
    runner: { description: string; tag_list: string[] },
  ): Promise<{ id: number; token: string }> {
    const body = json({ runner_type: 'instance_type', run_untagged: true, ...runner })
    const headers = { ...body.headers, 'PRIVATE-TOKEN': administratorToken }
    const answer = await this.#send('/user/runners', { method: 'POST', ...body, headers })
    if (answer.status !== 201) throw refusalOf(answer)
    return parsed(answer)
  }

  /** Checks the token of a runner. @returns the id of the runner @throws ServerUnreachable, Refused */
  async verify({ token, systemId }: Credentials): Promise<number> {
    const answer = await this.#send('/runners/verify', { method: 'POST', ...json({ token, system_id: systemId }) })
    if (answer.status !== 200) throw refusalOf(answer)
    return parsed<{ id: number }>(answer).id
  }

  /**
   * Asks for a job.
   * @param lastUpdate of the answer before
   * @throws ServerUnreachable, Refused
   */
  async requestJob(
    { token, systemId }: Credentials,
    { info, lastUpdate }: { info: ProgramInfo; lastUpdate: string | undefined },
  ): Promise<{ job: JobPayload | null; lastUpdate: string | undefined }> {
    const body = json({ token, system_id: systemId, info, last_update: lastUpdate })
    const answer = await this.#send('/jobs/request', { method: 'POST', ...body })
    if (answer.status === 201) return { job: parsed<JobPayload>(answer), lastUpdate: undefined }
    if (answer.status !== 204) throw refusalOf(answer)
    return { job: null, lastUpdate: answer.headers.get('x-gitlab-last-update') ?? undefined }
  }

  /** Says that a job goes on, or how it ended. @throws ServerUnreachable */
  async updateJob(job: JobPayload, ending?: JobEnding): Promise<JobAnswer> {
    const body = json({ token: job.token, state: 'running', ...ending })
    return jobAnswerOf(await this.#send(`/jobs/${job.id}`, { method: 'PUT', ...body }))
  }

  /** Appends bytes to the log of a job, which has `firstByte` bytes so far. @throws ServerUnreachable */
  async appendTrace(job: JobPayload, firstByte: number, bytes: Buffer): Promise<JobAnswer> {
    const headers = {
      'JOB-TOKEN': job.token,
      'Content-Type': 'text/plain',
      'Content-Range': `${firstByte}-${firstByte + bytes.length - 1}`,
    }
    const part = { method: 'PATCH', headers, body: new Uint8Array(bytes) }
    return jobAnswerOf(await this.#send(`/jobs/${job.id}/trace`, part))
  }

  /** Uploads a file of a job. @throws ServerUnreachable, Refused */
  async uploadArtifact(
    job: JobPayload,
    upload: { path: string; name: string; type: string; format: string; expireIn: string | null },
    signal: AbortSignal,
  ): Promise<void> {
    const { type, format, expireIn } = upload
    const query = new URLSearchParams({ artifact_type: type, artifact_format: format })
    if (expireIn !== null) query.set('expire_in', expireIn)
    const body = new FormData()
    body.set('file', await openAsBlob(upload.path), upload.name)
    const init = { method: 'POST', headers: { 'JOB-TOKEN': job.token }, body }
    const path = `/jobs/${job.id}/artifacts?${query}`
    const answer = await this.#fetch(path, init, signal, (whole) => whole.text())
    if (answer.status !== 201) throw refusalOf(answer)
  }

  /** Writes the archive of a job into a file. @throws ServerUnreachable, Refused */
  async downloadArtifact({ id, token, file }: { id: number; token: string; file: string }, signal: AbortSignal) {
    const init = { headers: { 'JOB-TOKEN': token } }
    const answer = await this.#fetch(`/jobs/${id}/artifacts`, init, signal, async (whole) => {
      if (whole.status !== 200 || !whole.body) return whole.text()
      await pipeline(bodyOf(whole), handled(createWriteStream(file, { mode: 0o600 })), { signal })
      return ''
    })
    if (answer.status !== 200) throw refusalOf(answer)
  }

  /**
   * Sends a request and reads the answer.
   * @throws ServerUnreachable; the reason of the signal, unless it is that of a time limit
   */
  async #fetch(
    path: string,
    init: RequestInit,
    signal: AbortSignal,
    read: (answer: Response) => Promise<string>,
  ): Promise<Answer> {
    try {
      const answer = await fetch(`${this.url}/api/v4${path}`, { redirect: 'error', ...init, signal })
      return { status: answer.status, headers: answer.headers, text: await read(answer) }
    } catch (error) {
      if (signal.aborted && (signal.reason as Error).name !== 'TimeoutError') throw signal.reason
      const { cause, message } = error as Error & { cause?: Error & { code?: string } }
      throw new ServerUnreachable(`no server answers at ${this.url} (${cause?.code ?? cause?.message ?? message})`)
    }
  }
}
