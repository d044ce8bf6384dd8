import { fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { quickFolder } from '../setup/quick-folder.ts'
import { longestSilenceMs } from './limits.ts'
import type { Round, RoundReport } from './round.ts'

/** How a run ended; `hung` when it did not. */
export type Ended = { isPassed: boolean; durationMs: number; reached?: number[]; failure?: string; hung?: true }

/** Runs what is to be run, and once more what a process left undone that a change ended or hung. */
export async function runAll({ runs, isFresh }: Round, mutated: string, log: (text: string) => void): Promise<Ended[]> {
  const ended: Ended[] = []
  let left = runs.map((_, index) => index)
  while (left.length > 0) {
    const begun = new Set<number>()
    const round = { runs: left.map((index) => runs[index]).filter((run) => run !== undefined), isFresh }
    await runProcess(round, mutated, (report) => {
      const index = left[report.index]
      if (index === undefined) return
      if (report.kind === 'begun') begun.add(index)
      else ended[index] = report
      log(`${ended.filter(Boolean).length} of ${runs.length}`)
    })
    const undone = left.filter((index) => ended[index] === undefined)
    // None of the rest can be begun: each is as if it had hung.
    const hung = undone.filter((index) => begun.has(index))
    const culprits = hung.length > 0 ? hung : undone
    for (const index of culprits) ended[index] = { isPassed: false, durationMs: 0, hung: true }
    left = left.filter((index) => ended[index] === undefined)
  }
  return ended
}

/** Runs one process until it ends or is silent for too long. */
function runProcess(round: Round, mutated: string, listen: (report: RoundReport) => void): Promise<void> {
  // A process that is killed leaves its files behind.
  const folder = mkdtempSync(join(process.env.TMPDIR ?? quickFolder(), 'fennec-round-'))
  const child = fork(new URL('round.ts', import.meta.url), {
    env: { ...process.env, FENNEC_MUTATED: mutated, FENNEC_TEST_DATABASE: 'sqlite', TMPDIR: folder },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    detached: true,
  })
  const kill = () => {
    try {
      if (child.pid) process.kill(-child.pid, 'SIGKILL')
    } catch {
      // It has ended already.
    }
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  process.once('exit', kill)
  const silenceMs = longestSilenceMs(round.runs.map(({ limitMs }) => limitMs))
  return new Promise((resolve) => {
    let silence = setTimeout(kill, silenceMs)
    child.on('message', (report) => {
      clearTimeout(silence)
      silence = setTimeout(kill, silenceMs)
      listen(report as RoundReport)
    })
    child.once('exit', () => {
      clearTimeout(silence)
      process.removeListener('exit', kill)
      kill()
      resolve()
    })
    child.send(round)
  })
}
