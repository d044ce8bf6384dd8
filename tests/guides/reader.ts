/** A reader of the guides: a folder with the published package, and a server that is started there. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { root } from './blocks.ts'
import { endGroup, sh } from './shell.ts'

const cache = join(root, '.cache', 'guides')
/** The programs that trials install. */
const tools = join(cache, 'tools')
/** The packages that a reader has in `node_modules`. */
export const packages = join(cache, 'packages')

/** The build takes a minute of a processor, which a loaded machine may share out for a long time. */
const packingMinutes = 30

/** How this machine reaches registries. */
const network = [
  ...['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR', 'PIP_CERT'],
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy'],
]

/** The environment of a reader: the Node of the project, and nothing of the person who tries. */
export function environmentIn(folder: string): NodeJS.ProcessEnv {
  const path = [dirname(process.execPath), join(packages, 'node_modules/.bin'), join(tools, 'bin')]
  const person = { GIT_AUTHOR_NAME: 'Reader', GIT_AUTHOR_EMAIL: 'reader@example.com' }
  const committer = { GIT_COMMITTER_NAME: 'Reader', GIT_COMMITTER_EMAIL: 'reader@example.com' }
  return {
    ...inherited('CI', 'BASE', 'BUILDAH_ISOLATION', 'PODMAN', 'GOFLAGS', 'GOPROXY', 'TMPDIR', 'LANG', ...network),
    ...{ PATH: [...path, join(tools, 'python/bin'), process.env.PATH].join(delimiter), TOOLS: tools, ROOT: root },
    // What Go has fetched and built before is the same for all.
    ...{ HOME: folder, GOPATH: join(homedir(), 'go'), GOCACHE: join(homedir(), '.cache/go-build') },
    ...{ GIT_CONFIG_NOSYSTEM: '1', GIT_TERMINAL_PROMPT: '0', ...person, ...committer },
  }
}

const inherited = (...names: string[]) =>
  Object.fromEntries(names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])))

/**
 * Packs the package and installs it where readers have it.
 * @throws Error with what npm said
 */
export async function preparePackages(): Promise<void> {
  await rm(packages, { recursive: true, force: true })
  await mkdir(packages, { recursive: true })
  await mkdir(join(tools, 'bin'), { recursive: true })
  await writeFile(join(packages, 'package.json'), '{"name":"reader","private":true}\n')
  const script = `set -e
    (cd "${root}" && npm pack --loglevel=error --pack-destination "${packages}")
    npm install --loglevel=error --no-audit --no-fund --save-dev ./fennec-*.tgz`
  const env = { ...process.env, ...environmentIn(cache) }
  const { code, output } = await sh(script, { cwd: packages, env, minutes: packingMinutes })
  if (code !== 0) throw new Error(`The package could not be made: ${output}`)
}

/** An empty folder. */
export async function folderOf(name: string): Promise<string> {
  const folder = join(cache, 'readers', name.replaceAll(/[^a-z0-9]+/gi, '-'))
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  return folder
}

/** An empty folder of a reader, with the packages. */
export async function folderWithPackages(name: string): Promise<string> {
  const folder = await folderOf(name)
  await symlink(join(packages, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

/**
 * Starts the server of the package in a folder; its data are in `data` there.
 * @throws Error when it is not ready within a minute
 */
export async function startServer(folder: string, env: NodeJS.ProcessEnv) {
  const log = join(folder, 'server.log')
  const child = spawn('bash', ['-c', `exec fennec serve > "${log}" 2>&1`], { cwd: folder, env, detached: true })
  const ended = once(child, 'exit')
  for (let left = 600; !(await isReady(`http://${env.FENNEC_LISTEN}`)); left -= 1) {
    if (left === 0 || child.exitCode !== null) throw new Error(`The server did not start; it says why in ${log}`)
    await sleep(100)
  }
  return {
    async stop() {
      endGroup(child.pid, 'SIGTERM')
      await ended
    },
  }
}

const isReady = (url: string) =>
  fetch(`${url}/-/readiness`).then(
    (answer) => answer.status === 200,
    () => false,
  )

/** Whether the packages were prepared by an earlier run. */
export const arePrepared = () => existsSync(join(packages, 'node_modules/fennec'))
