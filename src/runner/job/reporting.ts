import { setTimeout as sleep } from 'node:timers/promises'
import type { JobLog } from '../log/job-log.ts'
import { type JobAnswer, type JobEnding, type RunnerClient, ServerUnreachable } from '../protocol/client.ts'
import type { JobPayload } from '../protocol/payload.ts'

/** What the server wants of a job that runs. */
export type Wish = 'go_on' | 'cancel' | 'forget'

/** Bytes of the log in one request. */
const mostBytes = 512 * 1024
const firstIntervalMs = 3000
/** Repetitions of a request that the server does not answer; the last ones are half a minute apart. */
const mostTries = 12
const longestPauseMs = 30_000
const firstOutage = 500

const isOutage = ({ httpStatus }: JobAnswer) => httpStatus >= firstOutage || httpStatus === 429
const taken = 202
const ofGap = 416

/** What an answer says: a job that the server has ended, or does not know, is none of the runner's any more. */
function wishOf({ httpStatus, jobStatus }: JobAnswer): Wish {
  if (jobStatus === 'canceling') return 'cancel'
  if (httpStatus === 403 || httpStatus === 404) return 'forget'
  return jobStatus === null || jobStatus === 'running' ? 'go_on' : 'forget'
}

/** Sends the log of a job while it runs, and then its end. */
export class Reporter {
  readonly #client: RunnerClient
  readonly #payload: JobPayload
  readonly #log: JobLog
  readonly #longestIntervalMs: number
  readonly #onWish: (wish: Wish) => void
  readonly #ended = new AbortController()
  readonly #loop: Promise<void>
  #intervalMs = firstIntervalMs
  /** Whether the server has another log than this one. */
  #isLost = false

  /**
   * @param longestIntervalMs between two requests: a job that is canceled ends after it
   * @param onWish is called after each answer
   */
  constructor(
    { client, longestIntervalMs }: { client: RunnerClient; longestIntervalMs: number },
    payload: JobPayload,
    log: JobLog,
    onWish: (wish: Wish) => void,
  ) {
    this.#client = client
    this.#longestIntervalMs = longestIntervalMs
    this.#payload = payload
    this.#log = log
    this.#onWish = onWish
    this.#loop = this.#repeat()
  }

  async #repeat(): Promise<void> {
    while (!this.#ended.signal.aborted) {
      // An outage of the server does not end a job: its log waits.
      await this.#sendPart().catch((error) => {
        if (!(error instanceof ServerUnreachable)) throw error
      })
      await sleep(Math.min(this.#intervalMs, this.#longestIntervalMs), undefined, { signal: this.#ended.signal }).catch(
        () => {},
      )
    }
  }

  /** Sends the next part of the log, or a sign of life. @throws ServerUnreachable */
  async #sendPart(): Promise<JobAnswer> {
    const first = this.#log.sentBytes
    const part = this.#log.next(mostBytes)
    const answer =
      part.length === 0
        ? await this.#client.updateJob(this.#payload)
        : await this.#client.appendTrace(this.#payload, first, part)
    if (isOutage(answer)) throw new ServerUnreachable(`the server answers ${answer.httpStatus}`)
    const { httpStatus, storedBytes } = answer
    if (part.length > 0 && (httpStatus === taken || httpStatus === ofGap)) {
      // A part whose answer was lost is there already: the log goes on after it.
      this.#isLost ||= !this.#log.acknowledge(storedBytes ?? (httpStatus === taken ? first + part.length : -1))
    }
    this.#intervalMs = answer.intervalMs ?? this.#intervalMs
    this.#onWish(this.#isLost ? 'forget' : wishOf(answer))
    return answer
  }

  /** Repeats until the server answers. @throws ServerUnreachable */
  async #insist(send: () => Promise<JobAnswer>): Promise<JobAnswer> {
    for (let tries = 1; ; tries += 1) {
      try {
        const answer = await send()
        if (!isOutage(answer)) return answer
        throw new ServerUnreachable(`the server answers ${answer.httpStatus}`)
      } catch (error) {
        if (!(error instanceof ServerUnreachable) || tries === mostTries) throw error
        await sleep(Math.min(longestPauseMs, 2 ** tries * 250))
      }
    }
  }

  /** Stops sending, for a job that the server has ended. */
  async stop(): Promise<void> {
    this.#ended.abort()
    await this.#loop
  }

  /** Sends the rest of the log, and the end of the job. @throws ServerUnreachable */
  async finish(ending: Omit<JobEnding, 'output'>): Promise<void> {
    await this.stop()
    while (!this.#log.isSent) {
      const { httpStatus } = await this.#insist(() => this.#sendPart())
      if (this.#isLost || (httpStatus !== taken && httpStatus !== ofGap)) return
    }
    const output = { checksum: this.#log.checksum, bytesize: this.#log.sizeBytes }
    await this.#insist(() => this.#client.updateJob(this.#payload, { ...ending, output }))
  }
}
