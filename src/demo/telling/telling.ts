import type { Random } from '../random.ts'
import type { Api, Body, Method } from '../speech/client.ts'
import type { Runner } from '../speech/runner.ts'
import type { StoryClock } from './clock.ts'
import { hourMs, type Moment, type Moments, minuteMs } from './moments.ts'

/** Something that happens at a time. */
type Step = { atMs: number; what: string; tell(): Promise<void> }

/** What the tellers of the kinds share. */
export type Telling = {
  api: Api
  random: Random
  moments: Moments
  clock: StoryClock
  /** The latest time of the story, in milliseconds since 1970. */
  endMs: number
  runner: Runner
  /** The ids of what was made, by names such as `user mara` and `milestone slipway/apps/timetable 1.0`. */
  ids: Map<string, number>
  /** The ids of threads, by the names of their first comments in `ids`. */
  discussions: Map<string, string>
  /** Has something happen at a time. @param what is told meanwhile, for people */
  plan(at: Moment | number, what: string, tell: () => Promise<void>): void
  /** Has something happen after everything else. */
  planLast(what: string, tell: () => Promise<void>): void
  /** Performs an operation; the next one happens some seconds later. */
  ask(by: string, method: Method, path: string, body?: object): Promise<Body>
  /** Waits until the server has done what follows from the requests so far. */
  settle(): Promise<void>
}

/** The id of something that was made. @throws Error for an unknown name */
export function idOf({ ids }: Telling, name: string): number {
  const id = ids.get(name)
  if (id === undefined) throw new Error(`there is no ${name}`)
  return id
}

/** Some hours and minutes after a time, as the seed has it. @param hours as many, in place of chosen ones */
export function later({ random }: Telling, ms: number, hours?: number): number {
  return ms + (hours ?? random.between(1, 4)) * hourMs + random.between(1, 50) * minuteMs + random.between(0, 59) * 1000
}

/** The steps of a story, which are told in the order of their times; at one time, in the order in which they were planned. */
export function planOf() {
  const steps: Step[] = []
  return {
    add: (step: Step) => void steps.push(step),
    inOrder: () => steps.toSorted((a, b) => a.atMs - b.atMs),
  }
}
