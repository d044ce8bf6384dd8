/** Histories of any form, pushed by the real git client. */

import { runGit } from '../../infra/git/testing.ts'
import type { ProjectRow } from '../../modules/projects/index.ts'
import type { Person } from '../fixtures.ts'
import type { TestServer } from '../server.ts'
import { httpUrl, temporaryDirectory } from './git.ts'

/** One file of a commit; the path as git writes it in quotes, so that it may be any bytes (`"a\\377"`). */
export type ImportedFile = [mode: string, path: string, content: string | Buffer]
export type ImportedCommit = { message: string; files: ImportedFile[]; branch?: string }

/** The text by which `git fast-import` makes these commits, one on top of the other. */
export function importStream(commits: readonly ImportedCommit[]): Buffer {
  const parts: (string | Buffer)[] = []
  const data = (content: string | Buffer) => parts.push(`data ${Buffer.byteLength(content)}\n`, content, '\n')
  for (const [index, { message, files, branch = 'main' }] of commits.entries()) {
    parts.push(`commit refs/heads/${branch}\n`, `committer Ada <ada@example.com> ${1_700_000_000 + index} +0000\n`)
    data(message)
    for (const [mode, path, content] of files) {
      // A submodule is a name and the id of a commit elsewhere.
      if (mode === '160000') parts.push(`M ${mode} ${content} ${path}\n`)
      else {
        parts.push(`M ${mode} inline ${path}\n`)
        data(content)
      }
    }
  }
  return Buffer.concat(parts.map((part) => Buffer.from(part)))
}

/** A new project of `owner` with what `git fast-import` makes of this. @param refs further refspecs that are pushed */
export async function imported(
  server: TestServer,
  owner: Person,
  path: string,
  stream: Buffer,
  options: { visibility?: 'private' | 'public'; refs?: readonly string[] } = {},
): Promise<ProjectRow> {
  const project = await server.make.project(path, owner, { visibility: options.visibility ?? 'private' })
  await using folder = await temporaryDirectory()
  const { path: cwd } = folder
  const address = httpUrl(server, owner, `${owner.username}/${path}`)
  for (const [args, input] of [
    [['init', '--quiet', '--initial-branch=main'], ''],
    [['fast-import', '--quiet'], stream],
    [['push', '--quiet', address, 'refs/heads/*:refs/heads/*', ...(options.refs ?? [])], ''],
  ] as const) {
    const { exitCode, stderr } = await runGit(args, { cwd, input })
    if (exitCode !== 0) throw new Error(`git ${args[0]}: ${exitCode}: ${stderr}`)
  }
  return project
}
