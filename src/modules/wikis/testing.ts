import { expect } from 'vitest'
import { git, type Person, startTestServer, type TestServer } from '../../testing/index.ts'
import type { ProjectRow } from '../projects/index.ts'

/** A server with users for the roles that wikis distinguish. */
export type WikiPeople = {
  server: TestServer
  owner: Person
  maintainer: Person
  developer: Person
  reporter: Person
  guest: Person
  outsider: Person
}

export async function startWikiServer(options: Parameters<typeof startTestServer>[0] = {}): Promise<WikiPeople> {
  const server = await startTestServer(options)
  const user = (name: string) => server.user(name)
  return {
    server,
    owner: await user('owner'),
    maintainer: await user('maintainer'),
    developer: await user('developer'),
    reporter: await user('reporter'),
    guest: await user('guest'),
    outsider: await user('outsider'),
  }
}

const levels = { guest: 10, reporter: 20, developer: 30, maintainer: 40 } as const

/** A project of the owner in which each user has their role. */
export async function makeWikiProject(
  people: WikiPeople,
  path: string,
  visibility: 'private' | 'public' = 'private',
): Promise<ProjectRow> {
  const { server, owner } = people
  const project = await server.make.project(path, owner, { visibility })
  for (const [name, level] of Object.entries(levels)) {
    await server.make.member({ project }, people[name as keyof typeof levels], level)
  }
  return project
}

/** A group of the owner in which each user has their role. */
export async function makeWikiGroup(people: WikiPeople, path: string, visibility: 'private' | 'public' = 'private') {
  const { server, owner } = people
  const namespace = await server.make.group(path, owner, { visibility })
  for (const [name, level] of Object.entries(levels)) {
    await server.make.member({ namespace }, people[name as keyof typeof levels], level)
  }
  return namespace
}

/** The URL of a repository for git over HTTP, with the credentials of a user or without. */
export function addressOf({ server }: WikiPeople, who: Person | null, path: string): string {
  return `${server.url.replace('://', who ? `://any:${who.token}@` : '://')}/${path}.git`
}

/** Clones a repository into a subfolder, and returns that folder. @throws when the clone fails */
export async function cloned(people: WikiPeople, who: Person | null, path: string, folder: string): Promise<string> {
  const outcome = await git(folder, 'clone', '--quiet', addressOf(people, who, path), 'copy')
  expect(outcome).toMatchObject({ code: 0 })
  return `${folder}/copy`
}
