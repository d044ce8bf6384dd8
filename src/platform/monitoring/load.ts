import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Clock } from '../../infra/clock/index.ts'
import type { EndedJob } from '../../infra/jobs/index.ts'

/** What a server did in one minute. */
export type LoadSample = {
  /** The minute, as ISO time. */
  at: string
  requests: number
  /** Requests that were answered with 5xx. */
  errors: number
  /** By how much 1 % of the turns of the event loop were late, at the least. */
  event_loop_delay_ms: number
  /** Resident memory at the end of the minute. */
  memory_bytes: number
  /** Runs of background jobs that ended well. */
  jobs_done: number
  /** Runs of background jobs that failed, to be repeated or not. */
  jobs_failed: number
}

/** The load of a process in the last hours. */
export type Load = {
  /** Counts an answered request. @param status of the answer */
  observe(status: number): void
  /** Counts a run of a background job that has ended. One that was put off is not counted. */
  observeJob(job: Pick<EndedJob, 'outcome'>): void
  /** The full minutes of the last hours, the oldest first. */
  samples(): LoadSample[]
  stop(): void
}

const minuteMs = 60_000
/** Four hours, in some 30 KiB. */
export const mostSamples = 240
const resolutionMs = 50

/** Minute of a time. */
const minuteOf = (moment: Date) => new Date(Math.floor(moment.getTime() / minuteMs) * minuteMs).toISOString()

/** Begins to record the load of this process, one sample a minute. */
export function openLoad(clock: Clock): Load {
  const delay = monitorEventLoopDelay({ resolution: resolutionMs })
  delay.enable()
  const samples: LoadSample[] = []
  let [requests, errors, done, failed] = [0, 0, 0, 0]
  let at = minuteOf(clock.now())

  function sample(): void {
    samples.push({
      at,
      requests,
      errors,
      event_loop_delay_ms: Math.round(Math.max(0, delay.percentile(99) / 1e6 - resolutionMs)),
      memory_bytes: process.memoryUsage.rss(),
      jobs_done: done,
      jobs_failed: failed,
    })
    if (samples.length > mostSamples) samples.shift()
    delay.reset()
    ;[requests, errors, done, failed] = [0, 0, 0, 0]
    at = minuteOf(clock.now())
  }

  function arm() {
    const restMs = minuteMs - (clock.now().getTime() % minuteMs)
    // The next one is set afterwards: a clock that is put forward by a year makes one sample, not one a minute.
    return clock.setTimer(() => {
      sample()
      void Promise.resolve().then(() => {
        if (!isStopped) timer = arm()
      })
    }, restMs)
  }
  let isStopped = false
  let timer = arm()

  return {
    observe(status) {
      requests += 1
      if (status >= 500) errors += 1
    },
    observeJob({ outcome }) {
      if (outcome === 'done') done += 1
      if (outcome === 'failed') failed += 1
    },
    samples: () => [...samples],
    stop() {
      isStopped = true
      timer.cancel()
      delay.disable()
    },
  }
}

/** The load of several processes: counts and memory are added, and the longest delay stands for all. */
export function sumLoads(all: readonly (readonly LoadSample[])[]): LoadSample[] {
  const minutes = new Map<string, LoadSample>()
  for (const sample of all.flat()) {
    const one = minutes.get(sample.at)
    minutes.set(sample.at, one ? added(one, sample) : sample)
  }
  return [...minutes.values()].sort((one, other) => one.at.localeCompare(other.at)).slice(-mostSamples)
}

function added(one: LoadSample, other: LoadSample): LoadSample {
  return {
    at: one.at,
    requests: one.requests + other.requests,
    errors: one.errors + other.errors,
    event_loop_delay_ms: Math.max(one.event_loop_delay_ms, other.event_loop_delay_ms),
    memory_bytes: one.memory_bytes + other.memory_bytes,
    jobs_done: one.jobs_done + other.jobs_done,
    jobs_failed: one.jobs_failed + other.jobs_failed,
  }
}
