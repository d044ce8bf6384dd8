import { execFile, spawn } from 'node:child_process'
import { createCipheriv } from 'node:crypto'
import { once } from 'node:events'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Runs git; throws what it said when it failed. */
export async function git(cwd: string, ...parameters: string[]): Promise<string> {
  const env = { ...process.env, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null', GIT_TERMINAL_PROMPT: '0' }
  const { stdout } = await run('git', parameters, { cwd, env, maxBuffer: 256 * 1024 * 1024 })
  return stdout
}

/** Gives bytes that no compression makes smaller, the same in every run. */
function noise(): (sizeBytes: number) => Buffer {
  const cipher = createCipheriv('aes-128-ctr', Buffer.alloc(16, 1), Buffer.alloc(16))
  return (sizeBytes) => cipher.update(Buffer.alloc(sizeBytes))
}

/** Feeds a git command from a generator, no faster than it reads. */
export async function feed(folder: string, parameters: string[], input: Iterable<string | Buffer>): Promise<void> {
  const child = spawn('git', parameters, { cwd: folder, stdio: ['pipe', 'ignore', 'inherit'] })
  const ended = once(child, 'exit')
  for (const part of input) if (!child.stdin.write(part)) await once(child.stdin, 'drain')
  child.stdin.end()
  const [code] = await ended
  if (code !== 0) throw new Error(`git ${parameters.join(' ')} ended with ${code}`)
}

function* historyOf(commits: number, sizeBytes: number): Generator<string | Buffer> {
  const next = noise()
  const each = Math.round(sizeBytes / commits)
  for (let index = 1; index <= commits; index += 1) {
    const message = `commit ${index}`
    const author = `Bench <bench@example.com> ${1_700_000_000 + index} +0000`
    yield `commit refs/heads/main\ncommitter ${author}\ndata ${message.length}\n${message}\n`
    yield `M 100644 inline dir-${index % 50}/file-${index % 1_000}\ndata ${each}\n`
    yield next(each)
    yield '\n'
  }
}

/**
 * Makes a bare repository with a history of one file changed per commit.
 * @param commits how many
 * @param sizeBytes of all versions together; they do not compress
 */
export async function makeRepository(folder: string, commits: number, sizeBytes: number): Promise<void> {
  await git('.', 'init', '--quiet', '--bare', '--initial-branch=main', folder)
  await feed(folder, ['fast-import', '--quiet'], historyOf(commits, sizeBytes))
}

/** Makes many branches on the head of `main`. */
export async function addBranches(folder: string, count: number): Promise<void> {
  const head = (await git(folder, 'rev-parse', 'main')).trim()
  const lines = Array.from({ length: count }, (_, index) => `create refs/heads/branch-${index} ${head}\n`)
  await feed(folder, ['update-ref', '--stdin'], lines)
}
