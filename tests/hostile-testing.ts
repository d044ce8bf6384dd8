/** A server and a repository with arbitrary objects, for the tests of hostile repositories. */
import { afterAll, beforeAll } from 'vitest'
import { runGit } from '../src/infra/git/testing.ts'
import type { ProjectRow } from '../src/modules/projects/index.ts'
import { httpUrl, type Person, startTestServer, type TestServer, temporaryDirectory } from '../src/testing/index.ts'

export let server: TestServer
export let owner: Person
export let work: Awaited<ReturnType<typeof temporaryDirectory>>

/** Starts the server before the tests of a file and stops it after them. */
export function serveForTests(): void {
  beforeAll(async () => {
    server = await startTestServer()
    owner = await server.user('owner')
    work = await temporaryDirectory()
    await run(['init', '--quiet', '--initial-branch=main'])
  })
  afterAll(async () => {
    await server.stop()
    await work[Symbol.asyncDispose]()
  })
}

/** Runs git in the repository. @returns its output @throws Error when it fails */
export async function run(args: readonly string[], input: string | Buffer = ''): Promise<string> {
  const { exitCode, stdout, stderr } = await runGit(args, { cwd: work.path, input })
  if (exitCode !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`)
  return stdout.trim()
}

export const addressOf = (path: string) => httpUrl(server, owner, `owner/${path}`)
export const push = (path: string, ...refspecs: string[]) =>
  runGit(['push', '--quiet', addressOf(path), ...refspecs], { cwd: work.path })

/** Stores any bytes as an object, valid or not. */
export const store = (type: 'blob' | 'tree' | 'commit' | 'tag', content: string | Buffer) =>
  run(['hash-object', '-t', type, '-w', '--literally', '--stdin'], content)

export type RawEntry = [mode: string, name: string | Buffer, oid: string]

/** Stores a tree with the entries in this order. */
export const treeOf = (entries: readonly RawEntry[]) =>
  store(
    'tree',
    Buffer.concat(
      entries.flatMap(([mode, name, oid]) => [
        Buffer.from(`${mode} `),
        Buffer.from(name),
        Buffer.from([0]),
        Buffer.from(oid, 'hex'),
      ]),
    ),
  )

export const signature = 'Ada <ada@example.com> 1700000000 +0000'
export const commitText = (tree: string, rest = `author ${signature}\ncommitter ${signature}\n\nx\n`) =>
  `tree ${tree}\n${rest}`
export const commitOf = async (entries: readonly RawEntry[]) => store('commit', commitText(await treeOf(entries)))

export const filesOf = (project: ProjectRow) => `/projects/${project.id}/repository`
