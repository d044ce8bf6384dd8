import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { ProjectRow } from '../../modules/projects/index.ts'
import type { Person } from '../fixtures.ts'
import { type ProjectPlace, projectWithMembers } from '../members.ts'
import type { TestServer } from '../server.ts'
import { git, gitWith, httpUrl, temporaryDirectory } from './git.ts'

/** What became of a push: the sentences with which the server refused it, without their prefix, and all that git said. */
export type Pushed = { isAccepted: boolean; sentences: string[]; stderr: string }

/** A work tree of a project, in which tests commit and from which they push with the real git. */
export type WorkTree = AsyncDisposable & {
  /** Where it is. */
  folder: string
  project: ProjectRow
  /** Path of the project in the API. */
  base: string
  /** What git answers; it throws where git fails. */
  run(...parameters: string[]): Promise<string>
  /** Runs git as if it were this time, in seconds. */
  at(seconds: number, ...parameters: string[]): Promise<string>
  /** Writes files and commits them, in the name of Tester <tester@example.com>; without files the commit is empty. */
  commit(message?: string, files?: Record<string, string>, ...options: string[]): Promise<void>
  push(person: Pick<Person, 'token'>, ...parameters: string[]): Promise<Pushed>
}

/** Opens an empty work tree, from which nothing is pushed yet. */
export async function openWorkTree(server: TestServer, project: ProjectRow): Promise<WorkTree> {
  const { path: folder, [Symbol.asyncDispose]: remove } = await temporaryDirectory()
  async function run(more: Record<string, string>, parameters: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await gitWith(more, folder, ...parameters)
    if (code !== 0) throw new Error(`git ${parameters.join(' ')}: ${stderr}`)
    return stdout.trim()
  }
  const tree: WorkTree = {
    folder,
    project,
    base: `/projects/${project.id}`,
    run: (...parameters) => run({}, parameters),
    at: (seconds, ...parameters) => run({ GIT_COMMITTER_DATE: `${seconds} +0000` }, parameters),
    async commit(message = 'a commit', files = {}, ...options) {
      for (const [name, content] of Object.entries(files)) {
        await mkdir(dirname(join(folder, name)), { recursive: true })
        await writeFile(join(folder, name), content)
      }
      await tree.run('add', '--all')
      await tree.run('commit', '--quiet', '--allow-empty', ...options, '--message', message)
    },
    async push(person, ...parameters) {
      const { code, stderr } = await git(folder, 'push', httpUrl(server, person, project.full_path), ...parameters)
      const sentences = [...stderr.matchAll(/^remote: GitLab: (.*?)\s*$/gm)].map(([, sentence = '']) => sentence)
      return { isAccepted: code === 0, sentences, stderr }
    },
    [Symbol.asyncDispose]: remove,
  }
  await tree.run('init', '--quiet')
  return tree
}

/** A work tree of a project with two commits on `main`, a hundred seconds apart, which its owner has pushed. */
export async function treeWithTwoCommits(
  server: TestServer,
  { project, owner }: { project: ProjectRow; owner: Person },
): Promise<WorkTree> {
  const tree = await openWorkTree(server, project)
  await tree.at(1_700_000_000, 'commit', '--quiet', '--allow-empty', '--message', 'first')
  await tree.at(1_700_000_100, 'commit', '--quiet', '--allow-empty', '--message', 'second')
  const { isAccepted, stderr } = await tree.push(owner, 'main')
  if (!isAccepted) throw new Error(stderr)
  return tree
}

/** A new project with a member of every role, in a work tree with two commits that are pushed. */
export async function projectWithTwoCommits(server: TestServer, place?: ProjectPlace): Promise<WorkTree> {
  return treeWithTwoCommits(server, await projectWithMembers(server, place))
}
