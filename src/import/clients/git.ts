import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
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
    const config = settings(authorization)
    const numbered = config.flatMap(([key, value], index) => [
      [`GIT_CONFIG_KEY_${index}`, key],
      [`GIT_CONFIG_VALUE_${index}`, value],
    ])
    const env = {
      ...this.#environment,
      ...{ HOME: '/nonexistent', LC_ALL: 'C', GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' },
      ...{ GIT_TERMINAL_PROMPT: '0', GIT_ASKPASS: '/bin/false', GIT_ALLOW_PROTOCOL: 'http:https' },
      ...Object.fromEntries(numbered),
      GIT_CONFIG_COUNT: String(config.length),
    }
    const child = handled(spawn('git', parameters, { cwd: folder, env, stdio: ['pipe', 'pipe', 'pipe'] }))
    let said = ''
    handled(child.stderr).on('data', (bytes: Buffer) => {
      said = (said + bytes).slice(-longestError)
    })
    handled(child.stdout)
    handled(child.stdin)
    if (input) input.pipe(child.stdin)
    else child.stdin.end()
    const ended = once(child, 'close').then(
      ([code]) => code as number,
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

  /** The output of a command that may write much. The command has ended when the output has. */
  stream(run: Run): Readable {
    return this.#start(run).child.stdout
  }

  /** The lines of a command that may write many. */
  lines(run: Run): AsyncIterable<string> {
    return createInterface({ input: this.stream(run), crlfDelay: Number.POSITIVE_INFINITY })
  }

  /** @throws NotBrought with what git says */
  async require(run: Run): Promise<string> {
    const { code, output, error } = await this.run(run)
    if (code !== 0) throw new NotBrought(`git ${run.parameters[0]} fails: ${lastLine(error)}`)
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
    if (code !== 0 && rejected.length === 0) throw new NotBrought(`git push fails: ${lastLine(error)}`)
    return rejected
  }
}

/** What git says last, without its prefix. */
function lastLine(error: string): string {
  const lines = error.split('\n').filter((line) => line.trim() !== '')
  const fatal = lines.findLast((line) => /^(fatal|error|remote):/.test(line))
  return (fatal ?? lines.at(-1) ?? 'it ends without a message').replace(/^(fatal|error): /, '').trim()
}
