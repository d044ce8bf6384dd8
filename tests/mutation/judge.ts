import { dirname, resolve } from 'node:path'
import type { Mutant } from './instrument.ts'
import { limitOf, unchangedLimitMs } from './limits.ts'
import type { Run } from './round.ts'
import { type Ended, runAll } from './rounds.ts'

/** Whether a change was noticed, and by what. */
export type Verdict = { mutant: Mutant; outcome: 'noticed' | 'survived' | 'not reached'; by?: string }

export type Judging = {
  mutants: readonly Mutant[]
  /** Absolute paths. */
  tests: readonly string[]
  /** The file of changed texts (`load.ts`). */
  mutated: string
  log(text: string): void
}

/** Unchanged runs between changed ones: they fail when a change left something behind in its process. */
const controlEvery = 15

/** What reaches the changes when nothing is changed. */
type Reach = {
  /** The files of tests that reach each change: those beside it first, then the quickest. */
  tests: ReadonlyMap<number, readonly Timed[]>
  /** The changes that a process reaches before its first test. */
  atStart: ReadonlySet<number>
  /** The changes that tests reach, besides what a process reaches when it loads the server. */
  later: ReadonlySet<number>
}

const startOnly = new URL('start.ts', import.meta.url).pathname

type Timed = { test: string; durationMs: number }

/**
 * A change is looked for by tests that take so long together, without it: eight times as long as a server takes to start, which is
 * slow where the machine is. Those that are left out are far from it and slow.
 */
const mostMs = (startMs: number) => Math.max(20_000, 8 * startMs)

/** All files beside a change, and the quickest of the others, as long as they are done in time; one at least. */
function affordable(beside: readonly Timed[], others: readonly Timed[], limitMs: number): Timed[] {
  let spentMs = 0
  return [...beside, ...others].filter(({ durationMs }, index) => {
    spentMs += durationMs
    return spentMs <= limitMs || index < Math.max(beside.length, 1)
  })
}

/** Runs files of tests without a change. @throws Error when one fails */
async function runUnchanged(tests: readonly string[], isFresh: boolean, { mutated, log }: Judging) {
  const runs = tests.map((test) => ({ test, change: 0, limitMs: unchangedLimitMs }))
  const ended = await runAll({ runs, isFresh }, mutated, (text) => log(`without a change: ${text}`))
  const all = tests.map((test, index) => ({ test, ...(ended[index] as Ended) }))
  const broken = all.filter(({ isPassed }) => !isPassed)
  if (broken.length === 0) return all
  const sentences = broken.map(({ test, failure }) => `${test} fails without a change: ${failure ?? 'it hangs'}`)
  throw new Error(sentences.join('\n'))
}

/** @throws Error when a test fails without a change */
async function reachOf(judging: Judging): Promise<Reach> {
  const [start] = await runUnchanged([startOnly], true, judging)
  const atStart = new Set(start?.reached)
  const limitMs = mostMs(start?.durationMs ?? 0)
  const all = await runUnchanged(judging.tests, false, judging)
  const ordered = all.toSorted((left, right) => left.durationMs - right.durationMs)
  const reachedBy = new Map(ordered.map(({ test, reached }) => [test, new Set(reached)]))
  const tests = new Map(
    judging.mutants.map(({ id, file }) => {
      // What a process reaches at its start is reached by every file of tests.
      const reaching = ordered.filter(({ test }) => atStart.has(id) || reachedBy.get(test)?.has(id))
      const isBeside = ({ test }: Timed) => dirname(test) === dirname(resolve(file))
      const others = reaching.filter((one) => !isBeside(one))
      return [id, affordable(reaching.filter(isBeside), others, limitMs)] as const
    }),
  )
  return { tests, atStart, later: new Set(ordered.flatMap(({ reached = [] }) => reached)) }
}

/** The runs of one step, in which each change has one test, with controls among them. */
function withControls(runs: readonly Run[]): Run[] {
  const byTest = Map.groupBy(runs, ({ test }) => test)
  return [...byTest.values()].flatMap((ofTest) =>
    ofTest.flatMap((run, index) => {
      const isControlled = (index + 1) % controlEvery === 0 || index === ofTest.length - 1
      return isControlled ? [run, { ...run, change: 0 }] : [run]
    }),
  )
}

/** `noticed`: what failed, by the number of a change. `doubted`: beside a run that failed without a change. */
type Noticed = { noticed: Map<number, string>; doubted: Set<number> }

/** Runs the tests of changes until one fails. */
async function notice(
  judging: Judging,
  mutants: readonly Mutant[],
  { tests }: Reach,
  isFresh: boolean,
): Promise<Noticed> {
  const noticed = new Map<number, string>()
  const doubted = new Set<number>()
  for (let step = 0; ; step += 1) {
    const runs = mutants.flatMap(({ id }) => {
      const timed = noticed.has(id) ? undefined : tests.get(id)?.[step]
      return timed ? [{ test: timed.test, change: id, limitMs: limitOf(timed.durationMs) }] : []
    })
    if (runs.length === 0) return { noticed, doubted }
    const planned = isFresh ? runs : withControls(runs)
    const ended = await runAll({ runs: planned, isFresh }, judging.mutated, (text) =>
      judging.log(`${isFresh ? 'in processes of their own' : 'in common processes'}, step ${step + 1}: ${text}`),
    )
    // What fails beside a failing control may have failed for what another change left behind.
    const spoilt = new Set<string>()
    planned.forEach(({ change, test }, index) => {
      if (change === 0 && !ended[index]?.isPassed) spoilt.add(test)
    })
    planned.forEach(({ change, test }, index) => {
      const { isPassed, failure } = ended[index] as Ended
      if (change === 0 || isPassed) return
      if (spoilt.has(test)) doubted.add(change)
      else noticed.set(change, failure ?? `${test} hangs`)
    })
  }
}

/**
 * Makes each change alone and runs the tests that reach it: first many in one process, then each survivor that is reached at the
 * start in a process of its own, because what is computed at the start of a process is not computed again. Changes of what is
 * only computed at the start begin there.
 */
export async function judge(judging: Judging): Promise<Verdict[]> {
  const reach = await reachOf(judging)
  const isReached = ({ id }: Mutant) => (reach.tests.get(id)?.length ?? 0) > 0
  const reached = judging.mutants.filter(isReached)
  const later = reached.filter(({ id }) => reach.later.has(id))
  const together = await notice(judging, later, reach, false)
  const left = reached.filter(
    ({ id }) => !together.noticed.has(id) && (reach.atStart.has(id) || together.doubted.has(id)),
  )
  const alone = await notice(judging, left, reach, true)
  return judging.mutants.map((mutant) => {
    const by = together.noticed.get(mutant.id) ?? alone.noticed.get(mutant.id)
    if (by !== undefined) return { mutant, outcome: 'noticed', by }
    return { mutant, outcome: isReached(mutant) ? 'survived' : 'not reached' }
  })
}
