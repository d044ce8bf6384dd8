import { mkdir } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeHistory } from '../../../src/testing/index.ts'
import { Failed } from '../failed.ts'
import { commits, deletions, pushes } from './branches.ts'
import { releases, uploads } from './files.ts'
import { images } from './images.ts'
import { issues, notes } from './issues.ts'
import { jobs } from './jobs.ts'
import { ask, type Load, type Piece } from './load.ts'
import { merges } from './merges.ts'

export type { Load, Piece } from './load.ts'

/** The work of all domains. */
export const pieces: readonly Piece[] = [
  pushes,
  commits,
  deletions,
  issues,
  notes,
  merges,
  jobs,
  uploads,
  releases,
  images,
]

/** How long a client waits after a failure that belongs to the fault, in milliseconds. */
const pauseMs = 20

/** Makes the project, and what the clients need. */
export async function prepareLoad(load: Load, among: readonly Piece[] = pieces): Promise<void> {
  await mkdir(load.work, { recursive: true })
  await makeHistory(load.work, ['one', 'two', 'three'])
  const noLimits = { issues_create_limit: 0, notes_create_limit: 0 }
  await ask(load, (client) => client.put('/application/settings', noLimits))
  await ask(load, (client) => client.post('/projects', { name: 'campaign' }))
  for (const piece of among) await piece.prepare?.(load)
}

/** One client, until the work is over. */
async function repeat(load: Load, piece: Piece, client: number, round: string): Promise<void> {
  for (let count = 0; !load.isOver(); count += 1) {
    try {
      await piece.step(load, client, `${piece.title}-${client}-${round}-${count}`)
    } catch (error) {
      if (!(error instanceof Failed)) throw error
      // The server was killed, and what was under way may have happened.
      if (load.isOver() && error.failure.status === 0) return
      if (!load.tolerates?.(error.failure)) load.problems.push(`${piece.title}: ${error.message}`)
      await sleep(pauseMs)
    }
  }
}

/** Works in all domains at once, until the work is over. @param round makes the names of its steps unique */
export async function work(load: Load, round: number | string, among: readonly Piece[] = pieces): Promise<void> {
  const clients = among.flatMap((piece) => Array.from({ length: piece.clients }, (_, client) => ({ piece, client })))
  await Promise.all(clients.map(({ piece, client }) => repeat(load, piece, client, String(round))))
}

/** Compares things with what was acknowledged, and adds what is wrong to the problems. @param names what is compared */
export async function compare(load: Load, names: readonly string[]): Promise<void> {
  const actual = new Map<string, string>()
  const kinds = Map.groupBy(names, (name) => name.slice(0, name.indexOf(':')))
  for (const [kind, things] of kinds) {
    const piece = pieces.find(({ kinds }) => kinds.includes(kind))
    if (!piece?.read) throw new Error(`nothing reads ${kind}`)
    for (const [name, value] of await piece.read(load, things)) actual.set(name, value)
  }
  load.problems.push(...load.ledger.settle(actual, names))
}

/** Some of the things that are known: the older ones are compared now and then. */
export function sampleOf({ ledger, random }: Load, count: number): string[] {
  const names = ledger.names()
  return Array.from({ length: Math.min(count, names.length) }, () => names[Math.floor(random() * names.length)] ?? '')
}
