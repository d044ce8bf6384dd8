import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { isolatedEnvironment } from '../../infra/git/index.ts'
import { handled } from '../../infra/streams/index.ts'
import { ImportStopped, NotBrought } from './errors.ts'

/** A repository of a server, reached over HTTP. */
export type Remote = { url: string; authorization: string }

const longestError = 4096

/** Settings of all commands. A redirect would take the token to another host. */
const settings = (authorization: string | undefined): [string, string][] => [
  ['http.followRedirects', 'false'],
  ['credential.helper', ''],
  ['gc.auto', '0'],
  ['protocol.version', '2'],
  ...(authorization === undefined ? [] : [['http.extraHeader', `Authorization: ${authorization}`] as [string, string]]),
]

type Run = {
  folder: string
  parameters: readonly string[]
  authorization?: string
  /** What the program reads. */
  input?: Readable
}

/** Runs git, which has to be installed. */
export class GitClient {
  readonly #environment: Readonly<Record<string, string>>

  /** @param environment at least the search path */
  constructor(environment: Readonly<Record<string, string>>) {
    this.#environment = environment
  }

  #start({ folder, parameters, authorization, input }: Run) {
    if (parameters.some((parameter) => parameter.includes('\0'))) throw new NotBrought('a name has a NUL in it')
    const isolated = isolatedEnvironment(settings(authorization))
    const env = { ...this.#environment, ...isolated, GIT_ALLOW_PROTOCOL: 'http:https' }
    const child = handled(spawn('git', parameters, { cwd: folder, env, stdio: ['pipe', 'pipe', 'pipe'] }))
    let said = ''
    handled(child.stderr).on('data', (bytes: Buffer) => {
      said = (said + bytes).slice(-longestError)
    })
    handled(child.stdout)
    handled(child.stdin)
    // Git may end before it has read everything: its exit code says whether that is an error.
    const fault = input && pipeline(input, child.stdin).catch((error: Error) => error)
    if (!input) child.stdin.end()
    const ended = once(child, 'close').then(
      async ([code]) => {
        const found = await fault
        if (found instanceof NotBrought) throw found
        return code as number
      },
      (error: Error) => Promise.reject(new ImportStopped(`git cannot be started (${error.message})`)),
    )
    ended.catch(() => {})
    return { child, ended, said: () => said }
  }

  /** Runs a command. @returns its exit code and what it writes, which is little */
  async run(run: Run): Promise<{ code: number; output: string; error: string }> {
    const { child, ended, said } = this.#start(run)
    const output: Buffer[] = []
    child.stdout.on('data', (bytes: Buffer) => output.push(bytes))
    const code = await ended
    return { code, output: Buffer.concat(output).toString('utf8'), error: said() }
  }

  /** @param read reads the output, which may be long @throws NotBrought at its end, when the command or its input fails */
  async *#reading<Part>(run: Run, read: (output: Readable) => AsyncIterable<Part>): AsyncGenerator<Part> {
    const { child, ended, said } = this.#start(run)
    try {
      yield* read(child.stdout)
      if ((await ended) !== 0) throw failed(run, said())
    } finally {
      child.stdout.destroy()
    }
  }

  /** The output of a command that may write much. @throws NotBrought when it fails */
  stream(run: Run): AsyncIterable<Buffer> {
    return this.#reading(run, (output) => output)
  }

  /** The lines of a command that may write many. @throws NotBrought when it fails */
  lines(run: Run): AsyncIterable<string> {
    return this.#reading(run, (input) => createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY }))
  }

  /** @throws NotBrought with what git says */
  async require(run: Run): Promise<string> {
    const { code, output, error } = await this.run(run)
    if (code !== 0) throw failed(run, error)
    return output
  }

  /** Brings the refs of a remote into a bare repository, which is made where it is not there. @throws NotBrought */
  async fetch(
    folder: string,
    { url, authorization }: Remote,
    refspecs: readonly string[],
    format: 'sha1' | 'sha256' = 'sha1',
  ): Promise<void> {
    await mkdir(folder, { recursive: true })
    await this.require({
      folder,
      parameters: ['init', '--quiet', '--bare', '--template=', `--object-format=${format}`],
    })
    const parameters = ['fetch', '--quiet', '--no-write-fetch-head', '--no-tags', url, ...refspecs]
    await this.require({ folder, parameters, authorization })
  }

  /**
   * Pushes refs.
   * @returns the refs that the server does not take, with its reasons
   * @throws NotBrought when nothing could be pushed
   */
  async push(
    folder: string,
    { url, authorization }: Remote,
    refspecs: readonly string[],
    options: readonly string[] = [],
  ) {
    const command = ['push', '--porcelain', '--no-verify', '--push-option=ci.skip', ...options, url, ...refspecs]
    const { code, output, error } = await this.run({ folder, parameters: command, authorization })
    const rejected = output.split('\n').flatMap((line) => {
      const [flag, refs = '', reason = ''] = line.split('\t')
      return flag === '!' ? [{ ref: refs.slice(refs.indexOf(':') + 1), reason }] : []
    })
    if (code !== 0 && rejected.length === 0) throw failed({ parameters: command }, error)
    return rejected
  }
}

const failed = ({ parameters }: Pick<Run, 'parameters'>, error: string) =>
  new NotBrought(`git ${parameters[0]} fails: ${lastLine(error)}`)

/** What git says last, without its prefix. */
function lastLine(error: string): string {
  const lines = error.split('\n').filter((line) => line.trim() !== '')
  const fatal = lines.findLast((line) => /^(fatal|error|remote):/.test(line))
  return (fatal ?? lines.at(-1) ?? 'it ends without a message').replace(/^(fatal|error): /, '').trim()
}
