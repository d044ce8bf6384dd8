import type { Actor } from '../../api/index.ts'
import type { Reader } from '../../infra/database/index.ts'
import type { Platform } from '../../platform/index.ts'
import type { Issuable, IssuableType } from './issuable.ts'

/** The number of an issuable in its project, or in its group. */
export type Place =
  | { projectId: number; groupId?: never; iid: number }
  | { groupId: number; projectId?: never; iid: number }

/** An issuable in a to-do (contract 16, To-do). */
export type TodoTarget = {
  /** The object as lists show it. */
  target: object
  web_url: string
  title: string
}

/** What a module of issuables answers about its rows. Functions with a `db` may be called in a transaction, with that. */
export type KindAnswers = {
  /** The issuables with these ids, whether or not the caller may read them. */
  byIds(db: Reader, ids: readonly number[]): Promise<readonly Issuable[]>
  /** The issuables in these places, whether or not the caller may read them. */
  byPlaces(db: Reader, places: readonly Place[]): Promise<readonly Issuable[]>
  /** Which of these users may read an issuable; with `internal` also its internal notes. */
  readersOf(
    platform: Platform,
    db: Reader,
    issuable: Issuable,
    userIds: readonly number[],
    what?: { internal: boolean },
  ): Promise<ReadonlySet<number>>
  /** Which of these issuables the caller may read. */
  readable(platform: Platform, actor: Actor, ids: readonly number[]): Promise<ReadonlySet<number>>
  /** Those of these issuables that the caller may read, for to-dos. */
  todoTargets(platform: Platform, actor: Actor, ids: readonly number[]): Promise<ReadonlyMap<number, TodoTarget>>
}

declare module '../../platform/platform.ts' {
  interface Questions {
    /** What each module of issuables answers about its rows. */
    'issuables.kinds'(): Readonly<Partial<Record<IssuableType, KindAnswers>>>
  }
  interface Events {
    /** Something that all kinds of issuables have, such as spent time, has changed. */
    'issuable.changed': { type: IssuableType; id: number; userId: number; at: string }
  }
}

/** The answers of the module of a type; null when there is no such module. */
export function answersOf(platform: Platform, type: string): KindAnswers | null {
  const kinds = platform.ports['issuables.kinds'](platform)
  return Object.hasOwn(kinds, type) ? (kinds[type as IssuableType] ?? null) : null
}
