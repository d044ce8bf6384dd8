import { setImmediate as othersRan } from 'node:timers/promises'
import { Semaphore } from 'async-mutex'
import {
  type Actor,
  type AnswerOf,
  type Caller,
  type CallOf,
  createPerformer,
  type Operation,
  operationsFor,
  type Performer,
  type RequestInfo,
} from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { isHidden, Refusal } from '../refusal.ts'
import { pageOf } from './lists.ts'
import { operations } from './operations.ts'
import type { Reading } from './types.ts'
import { userDetails } from './users.ts'

/** How long the requests of a body are read (contract 25, "GraphQL"). */
const longestMs = 10_000
/** More are refused: each is a few queries (contract 25, "GraphQL"). */
const mostOperations = 500
/** More are refused: each is a value in memory. */
const mostValues = 200_000
/** Longer texts are refused: those of what operations answer, and those of the answer. */
const mostCharacters = 8 * 1024 * 1024
/** So many values are made of objects in memory before other requests run. */
const valuesOfTurn = 5_000
/** So many operations of a request are performed at once. */
const atOnce = 4

const performers = new WeakMap<Platform, Performer>()

/** What performs the operations by which fields are read; made with the first query. */
function performerOf(platform: Platform): Performer {
  const known = performers.get(platform)
  if (known) return known
  const performer = createPerformer({ platform, operations: operationsFor(operations, platform.config.edition) })
  performers.set(platform, performer)
  return performer
}

/** How long the texts of an object or of the objects of a list are. */
function lengthOf(answer: unknown): number {
  const rows: unknown[] = (answer as { items?: unknown[] } | null)?.items ?? [answer]
  const texts = rows.flatMap((row) => (row ? Object.values(row) : [])).filter((value) => typeof value === 'string')
  return texts.reduce((sum, text) => sum + text.length, 0)
}

/** Returns what counts up to a bound. @throws Refusal beyond it */
function counter(most: number, sentence: string): (more: number) => void {
  let count = 0
  return (more) => {
    count += more
    if (count > most) throw new Refusal(sentence)
  }
}

/** Opens the reading of one HTTP request, which may have several queries. */
export function openReading(platform: Platform, actor: Actor, request: RequestInfo): Reading {
  const performer = performerOf(platform)
  const { id, ip, signal } = request
  const caller: Caller = { actor, found: new Map(), request: { id, ip, signal } }
  const endsAt = platform.clock.now().getTime() + longestMs
  const slots = new Semaphore(atOnce)
  const answers = new Map<string, Promise<unknown>>()
  const perform = counter(mostOperations, 'Query reads too many lists and objects')
  const take = counter(mostCharacters, 'Query reads too long texts')
  const countValue = counter(mostValues, 'Query returns too many values')
  const countText = counter(mostCharacters, 'Query returns too long texts')
  let turn = Promise.resolve()
  let valuesInTurn = 0

  /** Each operation has a turn of the event loop, so that other requests run in between. */
  async function inTurn<T>(run: () => Promise<T>): Promise<T> {
    perform(1)
    return slots.runExclusive(async () => {
      await othersRan()
      if (platform.clock.now().getTime() > endsAt || signal.aborted) throw new Refusal('Query timed out')
      return run()
    })
  }

  async function read<O extends Operation>(operation: O, call: CallOf<O>): Promise<AnswerOf<O>> {
    const key = JSON.stringify([operation.id, call])
    const known = answers.get(key)
    if (known) return known as Promise<AnswerOf<O>>
    const answer = inTurn(async () => {
      const { value } = await performer.perform(operation, caller, call)
      take(lengthOf(value))
      return value
    })
    answers.set(key, answer)
    return answer
  }

  const reading: Reading = {
    platform,
    actor,
    complexity: { score: 0, limit: 0 },
    read,
    async find(operation, call) {
      try {
        return await read(operation, call)
      } catch (error) {
        if (isHidden(error)) return null
        throw error
      }
    },
    may: (operation, call) => inTurn(() => performer.may(operation, caller, call)),
    inTurn,
    page: (listing, args, selects) => pageOf(reading, listing, args, selects),
    userDetail: userDetails(platform, actor),
    count(value) {
      countValue(1)
      if (typeof value === 'string') countText(value.length)
    },
    pause(values) {
      valuesInTurn += values
      if (valuesInTurn < valuesOfTurn) return turn
      valuesInTurn = 0
      turn = turn.then(() => othersRan())
      return turn
    },
  }
  return reading
}
