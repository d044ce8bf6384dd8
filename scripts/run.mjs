/**
 * `node scripts/run.mjs <file> [arguments]` runs a file of the project on the pinned Node, after installing missing
 * packages. When this process already is that Node, as from the second `npm start` on, it takes a few milliseconds. The
 * server, `src/main.ts`, runs from a bundle of its sources.
 */
import { spawn } from 'node:child_process'
import { realpathSync } from 'node:fs'
import module from 'node:module'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { bundledProgram } from './bundle.mjs'
import { ensureInstalled, root, runtime } from './install.mjs'

const program = resolve(root, 'src/main.ts')
const [file, ...args] = process.argv.slice(2)

const node = await suitableNode()
if (node === undefined) {
  process.exitCode = 1
} else if (realpathSync(node) === realpathSync(process.execPath)) {
  // Enables the compile cache before the first file is loaded.
  module.enableCompileCache?.(resolve(root, '.cache/compiled'))
  const entry = await programOf(file)
  process.argv = [process.execPath, entry, ...args]
  if (isSource(entry)) await import('./tsx.mjs')
  await import(pathToFileURL(entry).href)
} else {
  runInstead(node, await programOf(file))
}

/** Whether a file is run as it is written, which may import pages: they are JSX. */
function isSource(entry) {
  return entry.endsWith('.ts')
}

function programOf(file) {
  const path = resolve(root, file)
  return path === program ? bundledProgram() : path
}

/**
 * Installs missing packages and returns the path of the Node to use; prints the error and returns undefined when there
 * is none.
 */
async function suitableNode() {
  try {
    await ensureInstalled(resolve(root, file) === program ? 'running' : 'everything')
    return runtime()
  } catch (error) {
    process.stderr.write(`${error.message}\n`)
    return undefined
  }
}

/** Runs the file with another Node: forwards signals, and exits with its status. */
function runInstead(node, entry) {
  const loader = isSource(entry) ? ['--import', new URL('./tsx.mjs', import.meta.url).href] : []
  const child = spawn(node, [...process.execArgv, ...loader, entry, ...args], { stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.once('error', (error) => {
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 1
  })
  child.once('exit', (code, signal) => {
    if (signal) process.removeAllListeners(signal).kill(process.pid, signal)
    else process.exit(code)
  })
}
