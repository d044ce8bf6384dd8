import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { defineCommand } from 'citty'
import { type Config, rootTokenFile } from '../../config.ts'
import { ImportStopped, reportText, runImport } from '../../import/index.ts'
import { systemClock } from '../../infra/clock/index.ts'
import { configured, fail, failureText } from '../configured.ts'
import { showProgress } from '../progress.ts'
import { rootTokenOf, urlOf } from './server-address.ts'

/** The address of the source, without a slash at its end. */
function sourceOf(given: string): URL {
  const url = URL.canParse(given) ? new URL(given) : null
  if (!url || !['http:', 'https:'].includes(url.protocol)) fail('SOURCE must be an address like https://old.example')
  if (url.username !== '' || url.password !== '') fail('SOURCE may have no password in it: give --token-file')
  return url
}

const withoutSlash = ({ origin, pathname }: URL) => `${origin}${pathname}`.replace(/\/+$/, '')

async function tokenOf(args: { token?: string | undefined; 'token-file'?: string | undefined }): Promise<string> {
  const { token, 'token-file': file } = args
  if (token !== undefined && file !== undefined) fail('--token and --token-file exclude each other')
  const text = file === undefined ? token : await readFile(file, 'utf8').catch((error) => fail(failureText(error)))
  if (text === undefined) fail('give --token-file or --token: a token of the source')
  if (!/^\S+$/.test(text.trim())) fail('the token of the source has blanks, or is empty')
  return text.trim()
}

async function administratorTokenOf(config: Config, file: string | undefined): Promise<string> {
  const text =
    file === undefined
      ? await rootTokenOf(config)
      : await readFile(file, 'utf8').catch((error) => fail(failureText(error)))
  if (!text?.trim()) fail(`there is no token of root in ${rootTokenFile(config)}: give --target-token-file`)
  return text.trim()
}

/** Programs that git runs need them to reach the servers. */
const inherited = [
  ...['PATH', 'http_proxy', 'https_proxy', 'HTTPS_PROXY', 'no_proxy', 'NO_PROXY', 'ALL_PROXY', 'all_proxy'],
  ...['SSL_CERT_FILE', 'SSL_CERT_DIR', 'GIT_SSL_CAINFO', 'GIT_SSL_CAPATH', 'TMPDIR'],
]

function environmentOfGit(): Record<string, string> {
  return Object.fromEntries(
    inherited.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  )
}

/** `fennec import`. It talks to both servers over HTTP only. */
export const importCommand = defineCommand({
  meta: { name: 'import', description: 'Bring groups and projects from another server of the v4 API into this one' },
  args: {
    source: { type: 'positional', description: 'Address of the source, such as https://old.example', required: true },
    'groups...': { type: 'positional', description: 'Full paths of groups; default: all', required: false },
    token: {
      type: 'string',
      description: 'Token of the source; other users of this machine can see it: prefer a file',
    },
    'token-file': { type: 'string', description: 'File with the token of the source' },
    url: { type: 'string', description: 'Address of this server; default: the configured one' },
    'target-token-file': {
      type: 'string',
      description: 'File with a token of an administrator; default: that of root',
    },
    state: {
      type: 'string',
      description: 'File that knows what was brought; default: imports/HOST.sqlite in the data folder',
    },
    report: { type: 'string', description: 'Write the report to this file, as JSON' },
    invite: { type: 'boolean', description: 'Invite members who have no account here by mail', default: false },
    quiet: { type: 'boolean', description: 'Show no progress and no report', default: false },
  },
  async run({ args }) {
    const config = configured()
    const source = sourceOf(args.source)
    const [, ...groups] = args._
    const token = await tokenOf(args)
    const target = {
      url: urlOf(args.url, config),
      token: await administratorTokenOf(config, args['target-token-file']),
    }
    const stateFile =
      args.state ?? join(config.data, 'imports', `${source.host.replaceAll(/[^a-z0-9.-]/gi, '_')}.sqlite`)
    const shown = showProgress(process.stderr, { quiet: args.quiet })
    const report = await runImport({
      ...{ source: { url: withoutSlash(source), token }, target, groups, stateFile, invites: args.invite },
      ...{ progress: shown, now: () => systemClock.now(), wait: (ms: number) => delay(ms) },
      environment: environmentOfGit(),
    }).catch((error) => {
      if (error instanceof ImportStopped) fail(error.message)
      throw error
    })
    shown.end()
    if (args.report) {
      await writeFile(args.report, `${JSON.stringify(report, null, 2)}\n`).catch((error) => fail(failureText(error)))
    }
    if (!args.quiet) process.stdout.write(reportText(report))
    // Connections to the servers may be open.
    process.exit(0)
  },
})
