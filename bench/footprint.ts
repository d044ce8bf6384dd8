import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

const ticksPerSecond = 100

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    // Gone, or a system without /proc.
    return ''
  }
}

function mib(text: string, field: RegExp): number {
  return Number(field.exec(text)?.[1] ?? 0) / 1024
}

/** Resident memory of one process in MiB; 0 where the system does not tell. */
export function residentMib(pid: number | undefined): number {
  return mib(read(`/proc/${pid}/status`), /^VmRSS:\s+(\d+)/m)
}

function childrenOf(pid: number): number[] {
  let threads: string[] = []
  try {
    threads = readdirSync(`/proc/${pid}/task`)
  } catch {
    return []
  }
  return threads.flatMap((thread) =>
    read(`/proc/${pid}/task/${thread}/children`).split(' ').filter(Boolean).map(Number),
  )
}

/** Memory of a process and everything below it in MiB, pages that several share counted once. */
export function treeMib(pid: number | undefined): number {
  if (pid === undefined) return 0
  const own = mib(read(`/proc/${pid}/smaps_rollup`), /^Pss:\s+(\d+)/m)
  return childrenOf(pid).reduce((sum, child) => sum + treeMib(child), own)
}

/** Sums some of the times that a process has in `/proc/<pid>/stat`, in milliseconds. */
function timesMs(pid: number | undefined, fields: readonly number[]): number {
  const all = read(`/proc/${pid}/stat`).split(') ').at(-1)?.split(' ') ?? []
  return (fields.reduce((sum, field) => sum + Number(all[field] ?? 0), 0) * 1_000) / ticksPerSecond
}

/** Processor time that a process has used so far in milliseconds: unlike the clock, it hardly feels its neighbours. */
export function processorMs(pid: number | undefined): number {
  return timesMs(pid, [11, 12])
}

/** The same of a process and everything below it, with the children that have ended. */
export function treeProcessorMs(pid: number | undefined): number {
  if (pid === undefined) return 0
  return childrenOf(pid).reduce((sum, child) => sum + treeProcessorMs(child), timesMs(pid, [11, 12, 13, 14]))
}

/** A process that uses less of a second has nothing to do but what it does every second. */
const restingMs = 20

/** Waits until a process and everything below it have rested for a second: until what follows a push of a repository has ended, too. */
export async function atRest(pid: number | undefined): Promise<void> {
  let before = treeProcessorMs(pid)
  for (;;) {
    await sleep(1_000)
    const used = treeProcessorMs(pid)
    if (used - before < restingMs) return
    before = used
  }
}

/**
 * Watches the resident memory of a process during some work.
 * @returns how far it rose above where it was, in MiB
 */
export async function growthMib(pid: number | undefined, work: () => Promise<unknown>): Promise<number> {
  const before = residentMib(pid)
  let peak = before
  const watch = setInterval(() => {
    peak = Math.max(peak, residentMib(pid))
  }, 20)
  try {
    await work()
  } finally {
    clearInterval(watch)
  }
  return peak - before
}
