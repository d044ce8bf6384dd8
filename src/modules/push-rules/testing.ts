import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { git, type Person, type TestServer, temporaryDirectory } from '../../testing/index.ts'
import type { ProjectRow } from '../projects/index.ts'

/** What became of a push: its sentences, or nothing where it was accepted. */
export type Pushed = { isAccepted: boolean; sentences: string[] }

/** A work tree of a project, of whose `main` the first commit is pushed. */
export type WorkTree = AsyncDisposable & {
  path: string
  project: ProjectRow
  run(...parameters: string[]): Promise<string>
  /** Writes files and commits them; without files the commit is empty. */
  commit(message: string, files?: Record<string, string>, ...options: string[]): Promise<void>
  push(person: Person, ...refs: string[]): Promise<Pushed>
}

function sentencesOf(stderr: string): string[] {
  return [...stderr.matchAll(/^remote: GitLab: (.*?)\s*$/gm)].map(([, sentence = '']) => sentence)
}

/** A work tree of a project of this owner; its commits are Tester's, of `tester@example.com`. */
export async function openWorkTree(server: TestServer, owner: Person, path: string): Promise<WorkTree> {
  const project = await server.make.project(path, owner)
  const folder = await temporaryDirectory()
  const tree: WorkTree = {
    path: folder.path,
    project,
    async run(...parameters) {
      const { code, stdout, stderr } = await git(folder.path, ...parameters)
      if (code !== 0) throw new Error(`git ${parameters.join(' ')}: ${stderr}`)
      return stdout.trim()
    },
    async commit(message, files = {}, ...options) {
      for (const [name, content] of Object.entries(files)) {
        await mkdir(dirname(join(folder.path, name)), { recursive: true })
        await writeFile(join(folder.path, name), content)
      }
      await tree.run('add', '--all')
      await tree.run('commit', '--quiet', '--allow-empty', ...options, '--message', message)
    },
    async push(person, ...refs) {
      const address = `${server.url.replace('://', `://x:${person.token}@`)}/${project.full_path}.git`
      const { code, stderr } = await git(folder.path, 'push', address, ...refs)
      return { isAccepted: code === 0, sentences: sentencesOf(stderr) }
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  }
  await tree.run('init', '--quiet')
  await tree.commit('First')
  const { isAccepted } = await tree.push(owner, 'main')
  if (!isAccepted) throw new Error('the first push was not accepted')
  return tree
}
