/** Running the programs of installed packages (the linter, the compiler, the test runner) on the project's own Node. */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { root, runtime } from './install.mjs'

/**
 * Runs the program `bin` of a package with `args`; returns its exit status, 1 when a signal ended it. `nodeArgs` are
 * passed to Node, `env` extends the environment.
 * @throws Error when this process was interrupted meanwhile: no other program should start.
 */
export function runProgram({ package: name, bin, nodeArgs = [], args = [], env = {} }) {
  const node = runtime()
  const path = [dirname(node), process.env.PATH].join(delimiter)
  const plain = process.stdout.isTTY ? {} : { NO_COLOR: '1' }
  const child = spawn(node, [...nodeArgs, programOf(name, bin), ...args], {
    cwd: root,
    env: { ...process.env, ...plain, ...env, PATH: path },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  let interrupted = false
  const stop = (signal) => {
    interrupted = true
    child.kill(signal)
  }
  process.once('SIGTERM', stop).once('SIGINT', stop)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code, signal) => {
      process.off('SIGTERM', stop).off('SIGINT', stop)
      if (interrupted) reject(new Error('Interrupted'))
      else resolve(signal ? 1 : code)
    })
  })
}

function programOf(name, bin) {
  const folder = join(root, 'node_modules', name)
  const { bin: bins } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  return join(folder, typeof bins === 'string' ? bins : bins[bin])
}
