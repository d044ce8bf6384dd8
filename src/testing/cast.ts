import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { NamespaceRow } from '../modules/namespaces/index.ts'
import type { ProjectRow } from '../modules/projects/index.ts'
import type { Person } from './fixtures.ts'
import { git, temporaryDirectory } from './git.ts'
import type { TestServer } from './server.ts'

/** A project with a person for every role, for tests of what its rules let them do. */
export type Cast = {
  project: ProjectRow
  path: string
  owner: Person
  maintainer: Person
  developer: Person
  reporter: Person
}

let count = 0

/** Makes a project, in `namespace` if given, with new people in it: the one who owns it, and one for each lower role. */
export async function cast(server: TestServer, place: { namespace?: NamespaceRow } = {}): Promise<Cast> {
  count += 1
  const named = (role: string) => server.user(`${role}${count}`)
  const [owner, maintainer, developer, reporter] = [
    await named('owner'),
    await named('maintainer'),
    await named('developer'),
    await named('reporter'),
  ]
  const project = await server.make.project(`p${count}`, owner, place)
  if (place.namespace) await server.make.member({ project }, owner, 50)
  await server.make.member({ project }, maintainer, 40)
  await server.make.member({ project }, developer, 30)
  await server.make.member({ project }, reporter, 20)
  return { project, path: project.full_path, owner, maintainer, developer, reporter }
}

/** A clone, or a new repository, in which tests commit and push. */
export type Work = AsyncDisposable & {
  path: string
  git(...parameters: string[]): ReturnType<typeof git>
  /** Writes files and commits them; returns the id. */
  commit(files?: Record<string, string>): Promise<string>
  /** Pushes as somebody; what the server said, without its prefix, when it refused. */
  push(person: Person, ...refspecs: string[]): Promise<{ accepted: boolean; lines: string[]; stderr: string }>
}

/** @param path full path of the project that is pushed to */
export async function workOn(server: TestServer, path: string): Promise<Work> {
  const folder = await temporaryDirectory()
  await git(folder.path, 'init', '--quiet')
  let commits = 0
  const address = ({ username, token }: Person) =>
    `${server.url.replace('://', `://${username}:${token}@`)}/${path}.git`
  return {
    path: folder.path,
    git: (...parameters) => git(folder.path, ...parameters),
    async commit(files = {}) {
      commits += 1
      for (const [name, content] of Object.entries(files)) {
        await git(
          folder.path,
          'update-index',
          '--add',
          '--cacheinfo',
          `100644,${await blob(folder.path, content)},${name}`,
        )
      }
      await git(folder.path, 'commit', '--quiet', '--allow-empty', '--message', `commit ${commits}`)
      return (await git(folder.path, 'rev-parse', 'HEAD')).stdout.trim()
    },
    async push(person, ...refspecs) {
      const { code, stderr } = await git(folder.path, 'push', address(person), ...refspecs)
      const lines = [...stderr.matchAll(/^remote: GitLab: (.*?) *$/gm)].map(([, line]) => line as string)
      return { accepted: code === 0, lines, stderr }
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  }
}

async function blob(folder: string, content: string): Promise<string> {
  await writeFile(join(folder, '.git', 'content'), content)
  return (await git(folder, 'hash-object', '-w', join('.git', 'content'))).stdout.trim()
}
