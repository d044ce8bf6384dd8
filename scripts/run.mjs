/**
 * `node scripts/run.mjs <file> [arguments]` runs a file of the project on the pinned Node, after installing what is
 * missing. Where this already is that Node, as it is from the second `npm start` on, it costs a few milliseconds.
 */
import { spawn } from 'node:child_process'
import { realpathSync } from 'node:fs'
import module from 'node:module'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ensureInstalled, root, runtime } from './install.mjs'

const [file, ...args] = process.argv.slice(2)
const entry = resolve(root, file)

const node = await suitableNode()
if (node === undefined) {
  process.exitCode = 1
} else if (realpathSync(node) === realpathSync(process.execPath)) {
  // The program keeps what is compiled here too; it has to be told before its first file is read.
  module.enableCompileCache?.(resolve(root, '.cache/compiled'))
  process.argv = [process.execPath, entry, ...args]
  await import(pathToFileURL(entry).href)
} else {
  runInstead(node)
}

/** Installs what is missing and names the Node to run on; says why and returns undefined where there is none. */
async function suitableNode() {
  try {
    await ensureInstalled()
    return runtime()
  } catch (error) {
    process.stderr.write(`${error.message}\n`)
    return undefined
  }
}

/** Lets `node` run the file in our place: signals reach it, and what it says at the end is what we say. */
function runInstead(node) {
  const child = spawn(node, [...process.execArgv, entry, ...args], { stdio: 'inherit' })
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
