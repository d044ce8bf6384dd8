/** Bounds what git spends on unpacking a push: a pack of a few bytes can hold objects of many GiB. */
import type { Readable } from 'node:stream'
import type { GitLimits } from '../model/types.ts'
import { watchProcessorTime } from '../process/processor-time.ts'
import type { RunningJob } from '../process/spawner/spawner.ts'
import { pushAnswer } from './push-answer.ts'

const MIB = 1024 * 1024
/** The programs that receive-pack starts for a pack. */
const UNPACKERS = ['index-pack', 'unpack-objects'] as const
const OUT_OF_MEMORY = /^fatal: (?:Out of memory|mmap failed: Cannot allocate|unable to create thread)/m

type Unpacking = {
  /** The job, with sentences for the pusher in its output. */
  job: RunningJob
  /** To be called when git has unpacked the push, or has ended. */
  end(): void
}

/**
 * Watches git while it unpacks a push. The limit of memory is that of all git processes; the limit of processor time grows with what
 * the client has sent. Git then refuses all refs of the push itself, and removes its files.
 * @param request the client's bytes. Call it in the tick in which they are piped.
 */
export function limitUnpacking(job: RunningJob, request: Readable, limits: GitLimits): Unpacking {
  let isUnpacking = true
  let sentBytes = 0
  const count = (chunk: Buffer) => {
    sentBytes += chunk.length
  }
  request.on('data', count)
  const answer = pushAnswer((text) => {
    if (!isUnpacking || !OUT_OF_MEMORY.test(text)) return
    answer.say(`The push was refused: to unpack it takes more than ${limits.processMemoryBytes / MIB} MiB of memory.`)
  })
  const allowedSeconds = () => limits.unpackSeconds + (limits.unpackSecondsPerMib * sentBytes) / MIB
  const stop =
    limits.unpackSeconds === 0
      ? () => {}
      : watchProcessorTime({
          pid: job.pid,
          programs: UNPACKERS,
          allowedSeconds,
          onExceeded: () => answer.say('The push was refused: to unpack it takes too long for a pack of its size.'),
        })
  const end = () => {
    isUnpacking = false
    request.off('data', count)
    stop()
  }
  const { stdout } = job
  // What broke it is in the exit of the job. Without a listener it would end the server.
  answer.on('error', () => {})
  stdout?.on('error', (error) => answer.destroy(error)).pipe(answer)
  answer.once('close', () => stdout?.destroy())
  // A pipe does not pass on that its source was closed before its end.
  stdout?.once('close', () => stdout.readableEnded || answer.end())
  return { job: { ...job, stdout: answer as unknown as RunningJob['stdout'] }, end }
}

/** Ends what unpacks for a job, now and as long as the job runs. Git then refuses the push, and removes its files. */
export function endUnpacking({ pid, exit }: RunningJob): void {
  const stop = watchProcessorTime({ pid, programs: UNPACKERS, allowedSeconds: () => -1, onExceeded: () => {} })
  exit.then(stop, stop)
}
