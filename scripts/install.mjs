/**
 * Installs the packages of `package-lock.json` when they are missing, and finds the Node that runs the project. A start installs
 * what running needs, tests all others. Plain JavaScript without dependencies: it runs on a fresh clone, with any Node.
 */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { showProgress } from './progress.mjs'

export const root = fileURLToPath(new URL('..', import.meta.url))

const modules = join(root, 'node_modules')
const lockFile = join(root, 'package-lock.json')
/** Written by npm at the end of an installation: the packages that are installed. */
const installedFile = join(modules, '.package-lock.json')
/** Ours: the digest of the lock file whose packages for running, or all of them, were installed completely. */
const markerFiles = { running: join(modules, '.fennec-running'), everything: join(modules, '.fennec-installed') }
/** Where the pinned Node is without the tools of tests. */
const runtimeFolder = join(root, '.cache', 'node')
/** Lock file of a running installation. It is outside `node_modules`, which an installation empties. */
const guardFile = join(root, '.install.lock')
const guardIsStaleAfterMs = 60_000
const neededMajor = 24

/**
 * Installs missing packages; returns at once when there are none. Of two concurrent calls only one installs.
 * @param wanted `running`: what `npm start` needs; `everything`: the tools of tests as well
 * @throws Error when npm fails, or when there is no suitable Node afterwards.
 */
export async function ensureInstalled(wanted = 'everything') {
  // A start does not remove the tools of tests.
  const scope = existsSync(markerFiles.everything) ? 'everything' : wanted
  if (isMarked(scope)) return
  if (isComplete(scope)) return mark(scope)
  const release = await acquireGuard()
  try {
    if (!isComplete(scope)) await install(scope)
    mark(scope)
  } finally {
    release()
  }
}

/**
 * The Node that runs the project: the pinned one, or this very one when it is new enough.
 * @throws Error when neither will do: the install script of the pinned one has not run.
 */
export function runtime() {
  const pinned = pinnedRuntimes().find((path) => existsSync(path))
  if (pinned) return pinned
  if (isNewEnough()) return process.execPath
  throw new Error(
    `Fennec needs Node ${neededMajor} or newer; this is ${process.version}, and the pinned one is not installed.\n` +
      'To install the pinned one, run: npm rebuild node --ignore-scripts=false',
  )
}

const isNewEnough = () => Number.parseInt(process.versions.node, 10) >= neededMajor

/** Where the pinned Node may be: among all packages, or beside those for running. */
function pinnedRuntimes() {
  const name = process.platform === 'win32' ? 'node.exe' : 'node'
  return [modules, join(runtimeFolder, 'node_modules')].map((folder) => join(folder, 'node', 'bin', name))
}

function expectedMarker() {
  const digest = createHash('sha256').update(readFileSync(lockFile)).digest('hex')
  return `${digest} ${process.platform}-${process.arch}\n`
}

/** All packages are those for running, too. */
function isMarked(scope) {
  const expected = expectedMarker()
  const isThere = read(markerFiles.everything) === expected
  return isThere || (scope === 'running' && read(markerFiles.running) === expected && hasRuntime())
}

/** The marker only saves a few milliseconds at the next start: a read-only folder has none. */
function mark(scope) {
  try {
    writeFileSync(markerFiles[scope], expectedMarker())
  } catch (error) {
    if (error.code !== 'EROFS' && error.code !== 'EACCES') throw error
  }
}

const hasRuntime = () => isNewEnough() || pinnedRuntimes().some((path) => existsSync(path))

/** The packages of the lock file that a scope needs, by their paths. */
function wantedPackages(scope) {
  const { '': _project, ...all } = packagesOf(lockFile)
  const isWanted = ([, { dev, devOptional }]) => scope === 'everything' || !(dev || devOptional)
  return Object.entries(all).filter(isWanted)
}

/** Whether an earlier `npm install` has installed everything that the scope needs. */
function isComplete(scope) {
  const installed = packagesOf(installedFile)
  const isThere = ([path, { version, optional }]) =>
    installed[path] ? installed[path].version === version : optional === true
  return hasRuntime() && wantedPackages(scope).every(isThere)
}

function packagesOf(file) {
  const text = read(file)
  return text === undefined ? {} : JSON.parse(text).packages
}

function read(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (error.code === 'ENOENT') return undefined
    throw error
  }
}

const quietly = ['--no-audit', '--no-fund', '--loglevel=error']

async function install(scope) {
  process.stderr.write('Installing what is missing, which takes a moment the first time …\n')
  // No file may describe a tree that an interrupted installation has changed.
  for (const file of [...Object.values(markerFiles), installedFile]) rmSync(file, { force: true })
  const paths = wantedPackages(scope).filter(([, { optional }]) => !optional)
  const isDone = ([path]) => existsSync(join(root, path, 'package.json'))
  const done = showProgress('packages', paths.length, () => paths.filter(isDone).length)
  try {
    const tools = scope === 'everything' ? '--include=dev' : '--omit=dev'
    const status = await npm(['ci', tools, '--ignore-scripts', ...quietly])
    if (status !== 0) throw new Error('npm ci failed; what it said stands above.')
    await runAllowedScripts()
    if (!hasRuntime()) await installRuntime()
  } finally {
    done()
  }
}

/** Installs the pinned Node alone, outside of `node_modules`: it is one of the tools of tests there. */
async function installRuntime() {
  const { version } = packagesOf(lockFile)['node_modules/node']
  mkdirSync(runtimeFolder, { recursive: true })
  writeFileSync(join(runtimeFolder, 'package.json'), '{ "private": true }\n')
  const place = ['--prefix', runtimeFolder]
  const status = await npm(['install', `node@${version}`, ...place, '--ignore-scripts=false', ...quietly])
  if (status !== 0) throw new Error('npm install failed; what it said stands above.')
}

/**
 * Runs the install scripts of the packages that `package.json` allows, and of no other: an older npm would run them all, and some
 * of them try to compile.
 */
async function runAllowedScripts() {
  const { allowScripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const isThere = (name) => existsSync(join(modules, name, 'package.json'))
  const names = Object.keys(allowScripts).filter((name) => allowScripts[name] && isThere(name))
  if (names.length === 0) return
  const status = await npm(['rebuild', ...names, '--ignore-scripts=false', '--foreground-scripts=false', ...quietly])
  if (status !== 0) throw new Error('npm rebuild failed; what it said stands above.')
}

/** Runs npm on the Node that npm itself runs on: never on the one in `node_modules`, which may be about to go. */
function npm(args) {
  const { npm_execpath: cli, npm_node_execpath: node } = process.env
  const known = node && cli?.endsWith('npm-cli.js')
  const [command, prefix, shell] = known ? [node, [cli], false] : ['npm', [], process.platform === 'win32']
  const env = { ...process.env, PATH: pathWithoutOurs(), SCARF_ANALYTICS: 'false' }
  const child = spawn(command, [...prefix, ...args], { cwd: root, env, shell, stdio: ['ignore', 2, 2] })
  const stop = (signal) => child.kill(signal)
  process.once('SIGINT', stop).once('SIGTERM', stop)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => {
      process.off('SIGINT', stop).off('SIGTERM', stop)
      resolve(code)
    })
  })
}

function pathWithoutOurs() {
  const paths = (process.env.PATH ?? '').split(delimiter)
  return paths.filter((path) => !path.startsWith(modules)).join(delimiter)
}

/** Waits for another installation to end and takes the lock; returns the function that releases it. */
async function acquireGuard() {
  const owner = `${hostname()} ${process.pid}`
  for (let told = false; ; told = true) {
    try {
      writeFileSync(guardFile, owner, { flag: 'wx' })
      break
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
    }
    if (isAbandoned()) rmSync(guardFile, { force: true })
    else if (!told) process.stderr.write('Another start is installing; waiting for it …\n')
    await sleep(200)
  }
  const beat = setInterval(keepFresh, 5_000)
  return () => {
    clearInterval(beat)
    rmSync(guardFile, { force: true })
  }
}

function keepFresh() {
  try {
    utimesSync(guardFile, new Date(), new Date())
  } catch {
    // The lock file was removed by hand: no other installation is running.
  }
}

/** A guard without a heartbeat for a minute, or of a process of this machine that is gone. */
function isAbandoned() {
  try {
    if (Date.now() - statSync(guardFile).mtimeMs > guardIsStaleAfterMs) return true
    const [host, pid] = readFileSync(guardFile, 'utf8').split(' ')
    if (host !== hostname() || !pid) return false
    process.kill(Number(pid), 0)
    return false
  } catch (error) {
    return error.code === 'ESRCH'
  }
}
