import type { Visibility } from '../modules/namespaces/index.ts'
import type { ProjectRow } from '../modules/projects/index.ts'
import type { Person } from './fixtures.ts'
import { git, temporaryDirectory } from './git.ts'
import type { TestServer } from './server.ts'

/** People with every role that tests of tags ask for. */
export type People = Record<'owner' | 'maintainer' | 'developer' | 'reporter' | 'guest' | 'outsider', Person>

export async function people(server: TestServer): Promise<People> {
  const names = ['owner', 'maintainer', 'developer', 'reporter', 'guest', 'outsider'] as const
  const entries: [string, Person][] = []
  for (const name of names) entries.push([name, await server.user(name)])
  return Object.fromEntries(entries) as People
}

/** A work tree with two commits on `main`, and the project that they are pushed to. */
export type Work = AsyncDisposable & {
  project: ProjectRow
  /** Path of the project in the API. */
  base: string
  run(...parameters: string[]): Promise<string>
  /** Runs git as if it were this time, in seconds. */
  at(seconds: number, ...parameters: string[]): Promise<string>
  push(person: Person, ...parameters: string[]): Promise<{ isAccepted: boolean; stderr: string }>
}

/** Makes a project of the owner in which the others have their roles. */
export async function workOn(
  server: TestServer,
  cast: People,
  path: string,
  visibility: Visibility = 'private',
): Promise<Work> {
  const { owner, maintainer, developer, reporter, guest } = cast
  const project = await server.make.project(path, owner, { visibility })
  for (const [person, level] of [
    [maintainer, 40],
    [developer, 30],
    [reporter, 20],
    [guest, 10],
  ] as const) {
    await server.make.member({ project }, person, level)
  }
  const folder = await temporaryDirectory()
  const work: Work = {
    project,
    base: `/projects/${project.id}`,
    async run(...parameters) {
      const { code, stdout, stderr } = await git(folder.path, ...parameters)
      if (code !== 0) throw new Error(`git ${parameters.join(' ')}: ${stderr}`)
      return stdout.trim()
    },
    at: (seconds, ...parameters) =>
      work.run('-c', `alias.at=!GIT_COMMITTER_DATE='${seconds} +0000' git`, 'at', ...parameters),
    async push(person, ...parameters) {
      const address = `${server.url.replace('://', `://x:${person.token}@`)}/${project.full_path}.git`
      const { code, stderr } = await git(folder.path, 'push', address, ...parameters)
      return { isAccepted: code === 0, stderr }
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  }
  await work.run('init', '--quiet')
  await work.at(1_700_000_000, 'commit', '--quiet', '--allow-empty', '--message', 'first')
  await work.at(1_700_000_100, 'commit', '--quiet', '--allow-empty', '--message', 'second')
  const pushed = await work.push(owner, 'main')
  if (!pushed.isAccepted) throw new Error(pushed.stderr)
  return work
}

/** Queries that a request takes once everything is warm; of a few times the least, for others may be asking as well. */
export async function queriesOf(server: TestServer, ask: () => Promise<unknown>): Promise<number> {
  const { jobs, database } = server.app.floor
  await jobs.drain()
  await ask()
  const counts: number[] = []
  while (counts.length < 4) {
    const before = database.queryCount()
    await ask()
    counts.push(database.queryCount() - before)
  }
  return Math.min(...counts)
}
