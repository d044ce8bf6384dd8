import type { Api, Body, Method } from '../clients/client.ts'
import type { Runner } from '../clients/runner.ts'
import type { Random } from '../random.ts'
import type { DemoClock } from './clock.ts'
import { hourMs, type Moment, type Moments, minuteMs } from './moments.ts'

/** Something that happens at a time. */
type Step = { atMs: number; what: string; run(): Promise<void> }

/** What all kinds of steps share. */
export type StepContext = {
  api: Api
  random: Random
  moments: Moments
  clock: DemoClock
  /** The latest time of a step, in milliseconds since 1970. */
  endMs: number
  runner: Runner
  /** The ids of what was made, by names such as `user mara` and `milestone slipway/apps/timetable 1.0`. */
  ids: Map<string, number>
  /** The ids of threads, by the names of their first comments in `ids`. */
  discussions: Map<string, string>
  /** The names of people, by their user names. */
  names: Map<string, string>
  /** The tokens with which people push, by their user names. */
  tokens: Map<string, string>
  /** Plans a step at a time. @param what names it in the progress */
  plan(at: Moment | number, what: string, run: () => Promise<void>): void
  /** Plans a step after all others. */
  planLast(what: string, run: () => Promise<void>): void
  /** Performs an operation; the next one happens some seconds later. */
  ask(by: string, method: Method, path: string, body?: object): Promise<Body>
  /** Waits until the server has done what follows from the requests so far. */
  settle(): Promise<void>
}

/** The id of something that was made. @throws Error for an unknown name */
export function idOf({ ids }: StepContext, name: string): number {
  const id = ids.get(name)
  if (id === undefined) throw new Error(`there is no ${name}`)
  return id
}

/** Some hours and minutes after a time, as the seed has it. @param hours as many, in place of chosen ones */
export function later({ random }: StepContext, ms: number, hours?: number): number {
  return ms + (hours ?? random.between(1, 4)) * hourMs + random.between(1, 50) * minuteMs + random.between(0, 59) * 1000
}

/** Steps, which run in the order of their times; those of one time in the order in which they were planned. */
export function planOf() {
  const steps: Step[] = []
  return {
    add: (step: Step) => void steps.push(step),
    inOrder: () => steps.toSorted((a, b) => a.atMs - b.atMs),
  }
}
