/** Running the programs of installed packages (the linter, the compiler, the test runner) on the project's own Node. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { root, runtime } from './install.mjs'

/**
 * Runs the program `bin` of a package with `args`; returns its exit status, 1 when a signal ended it. `nodeArgs` are
 * passed to Node, `env` extends the environment.
 * @throws Error when this process was interrupted meanwhile: no other program should start.
 */
export function runProgram(program) {
  return ended(start(program, 'inherit'))
}

/** Runs a file of the project as `runProgram` runs a program, without what it writes on standard output. */
export function runFile(path, { args = [], env = {} }) {
  return ended(startFile(path, { args, env }, ['ignore', 'ignore', 'inherit']))
}

/** Runs a program as `runProgram` does, and returns what it wrote beside its exit status. */
export async function outputOf(program) {
  const child = start(program, 'pipe')
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text
    })
  }
  const closed = once(child, 'close')
  const status = await ended(child)
  await closed
  return { status, output }
}

function start({ package: name, bin, ...options }, output) {
  return startFile(programOf(name, bin), options, ['ignore', output, output])
}

function startFile(file, { nodeArgs = [], args = [], env = {} }, stdio) {
  const node = runtime()
  const path = [dirname(node), process.env.PATH].join(delimiter)
  const plain = process.stdout.isTTY ? {} : { NO_COLOR: '1' }
  return spawn(node, [...nodeArgs, file, ...args], {
    cwd: root,
    env: { ...process.env, ...plain, ...env, PATH: path },
    stdio,
  })
}

function ended(child) {
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
