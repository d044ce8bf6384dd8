/** What the tests of round trips compare: projects and groups of one server or of two. */
import type { Client, TestServer } from '../../src/testing/index.ts'
import { type Answers, answersOf, type Difference, differences, type Place, readingOperations } from './answers.ts'

/** What a server answers about a project or group. */
export type Read = { answers: Answers; place: Place; url: string }

/** Queries of operations. Commits of all branches have the statuses and comments. */
const queries = { 'commits.list': 'all=true' }

/** A server whose answers are read. */
export type Answering = Pick<TestServer, 'root' | 'url'> & { app: Pick<TestServer['app'], 'operations'> }

/** Reads a project or group as an administrator. @param key its id, or the path of a group */
export async function readPlace(server: Answering, kind: Place['kind'], key: number | string): Promise<Read> {
  const { id, name, ...paths } = (await server.root.get(`/${kind}s/${encodeURIComponent(key)}`)).body
  const place: Place = { kind, id, fullPath: paths.path_with_namespace ?? paths.full_path, name }
  const operations = readingOperations(server.app.operations, kind, queries)
  return { answers: await answersOf(server.root, operations, place, queries), place, url: server.url }
}

const isSomething = ({ status, value }: { status: number; value: unknown }) =>
  status === 200 && !(Array.isArray(value) && value.length === 0)

/** A read one in which a text stands for another one, such as the name of the same person or group at another place. */
export function renamed({ answers, place, url }: Read, from: string, to: string): Read {
  const rename = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value).replaceAll(from, to))
  return { answers: new Map(rename([...answers])), place: rename(place), url }
}

/** What these operations answer. */
export const only = ({ answers, ...read }: Read, operations: readonly string[]): Read => ({
  ...read,
  answers: new Map([...answers].filter(([key]) => operations.includes(key.split(' ', 1)[0] ?? ''))),
})

/** Those of these operations that have nothing to show, so that nothing is compared with nothing. */
export function showingNothing({ answers }: Read, operations: readonly string[]): string[] {
  const something = new Set(
    [...answers].flatMap(([key, answer]) => (isSomething(answer) ? [key.split(' ', 1)[0]] : [])),
  )
  return operations.filter((id) => !something.has(id))
}

/** What may differ: patterns of operations with their members, and why. */
export type Allowed = readonly (readonly [where: RegExp, reason: string])[]

/** Differences that nothing allows, and what is allowed and does not differ. */
export function compare(was: Read, is: Read, allowed: Allowed): { found: Difference[]; same: string[] } {
  const all = differences([was.answers, was.place, was.url], [is.answers, is.place, is.url])
  return {
    found: all.filter(({ at }) => !allowed.some(([where]) => where.test(at))),
    same: allowed.filter(([where]) => !all.some(({ at }) => where.test(at))).map(([, reason]) => reason),
  }
}

export const asExported = { found: [], same: [] }

const levels = { maintainer: 40, developer: 30, reporter: 20, guest: 10 } as const

type Members = Readonly<Record<keyof typeof levels | 'owner', Client & { id: number; username: string }>>

/** Makes people members of a group of their owner, each with the role of their name. */
export async function addMembersOf(people: Members, at: string): Promise<void> {
  for (const [name, access_level] of Object.entries(levels)) {
    const { id } = people[name as keyof typeof levels]
    await people.owner.post(`${at}/members`, { user_id: id, access_level })
  }
}

/** Has archives say the addresses of these people, by which other servers know them. */
export async function showAddresses({ root }: Pick<TestServer, 'root'>, people: Members): Promise<void> {
  for (const { id, username } of Object.values(people)) {
    await root.put(`/users/${id}`, { public_email: `${username}@example.com` })
  }
}
