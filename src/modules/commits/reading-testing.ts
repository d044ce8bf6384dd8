import { readFile } from 'node:fs/promises'
import {
  addMembers,
  git,
  httpUrl,
  makePeople,
  type People,
  type Person,
  runProgram,
  startTestServer,
  type TestServer,
  temporaryDirectory,
} from '../../testing/index.ts'
import type { ProjectRow } from '../projects/index.ts'

/** A commit of a test history. */
export type Made = {
  /** Full name of the ref that it becomes the head of; default `refs/heads/main`. */
  ref?: string
  message?: string | Buffer
  author?: string
  committer?: string
  /** Seconds since 1970; default a minute after the previous commit. */
  date?: number
  /** Numbers of its parents, counted from 1; default the previous commit. */
  parents?: readonly number[]
  /** Content by path; null removes. */
  files?: Readonly<Record<string, string | Buffer | null>>
  /** Lines of fast-import that follow the files. */
  raw?: string
}

const start = 1_700_000_000
const data = (content: string | Buffer) => [`data ${Buffer.byteLength(content)}\n`, content, '\n']
const quoted = (path: string) => `"${path.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\t', '\\t')}"`

function fileLines(path: string, content: string | Buffer | null): (string | Buffer)[] {
  return content === null ? [`D ${quoted(path)}\n`] : [`M 100644 inline ${quoted(path)}\n`, ...data(content)]
}

function commitLines(commit: Made, number: number): (string | Buffer)[] {
  const { ref = 'refs/heads/main', message = `commit ${number}`, author = 'Ada <ada@example.com>' } = commit
  const { committer = author, date = start + number * 60, files = {}, raw = '' } = commit
  const [first, ...others] = commit.parents ?? (number > 1 ? [number - 1] : [])
  return [
    // A commit without a parent must not continue the ref.
    ...(first === undefined ? [`reset ${ref}\n`] : []),
    `commit ${ref}\nmark :${number}\nauthor ${author} ${date} +0000\ncommitter ${committer} ${date} +0000\n`,
    ...data(message),
    ...(first === undefined ? [] : [`from :${first}\n`]),
    ...others.map((other) => `merge :${other}\n`),
    ...Object.entries(files).flatMap(([path, content]) => fileLines(path, content)),
    raw,
  ]
}

/** Runs a git command in a folder with this input. */
export async function feed(folder: string, input: string | Buffer, ...parameters: string[]): Promise<string> {
  const { code, stdout, stderr } = await runProgram({ binary: 'git', parameters, cwd: folder, env: process.env, input })
  if (code !== 0) throw new Error(stderr)
  return stdout
}

/** Makes a history in a new repository at `folder`. @returns the ids of its commits in order */
export async function makeCommits(folder: string, commits: readonly Made[]): Promise<string[]> {
  await git(folder, 'init', '--quiet')
  const lines = commits.flatMap((commit, index) => commitLines(commit, index + 1))
  const stream = Buffer.concat(lines.map((line) => Buffer.from(line as string)))
  await feed(folder, stream, 'fast-import', '--quiet', '--force', '--export-marks=marks')
  const exported = await readFile(`${folder}/marks`, 'utf8')
  const oids: string[] = []
  for (const line of exported.split('\n')) {
    const [mark = '', oid = ''] = line.split(' ')
    if (oid !== '') oids[Number(mark.slice(1)) - 1] = oid
  }
  return oids
}

/** Pushes a repository to a project. @throws with git's output when the push fails */
export async function pushTo(server: TestServer, owner: Person, project: ProjectRow, folder: string, refs: string[]) {
  const address = httpUrl(server, owner, project.full_path)
  const { code, stderr } = await git(folder, 'push', '--quiet', address, ...refs)
  if (code !== 0) throw new Error(stderr)
}

export type ProjectWithHistory = { project: ProjectRow; oids: string[]; base: string }

/** A project with this history, and the ids of its commits. @param place as for `make.project` */
export async function projectWith(
  server: TestServer,
  owner: Person,
  path: string,
  commits: readonly Made[],
  place?: Parameters<TestServer['make']['project']>[2],
): Promise<ProjectWithHistory> {
  const project = await server.make.project(path, owner, place)
  await using folder = await temporaryDirectory()
  const oids = await makeCommits(folder.path, commits)
  await pushTo(server, owner, project, folder.path, ['refs/heads/*:refs/heads/*', 'refs/tags/*:refs/tags/*'])
  return { project, oids, base: `/projects/${project.id}/repository` }
}

/** A server with the private project `demo`, which has this history, and users with each role in it. */
export async function startWithHistory(
  commits: readonly Made[],
): Promise<People & { server: TestServer; demo: ProjectWithHistory }> {
  const server = await startTestServer()
  const people = await makePeople(server)
  const demo = await projectWith(server, people.owner, 'demo', commits)
  await addMembers(server, demo.project, people)
  return { ...people, server, demo }
}
