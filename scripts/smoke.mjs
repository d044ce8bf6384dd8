/**
 * Smoke test of the first steps in the README: `npm start` in an empty data folder, wait until it is ready, send a
 * request as administrator, stop it. Runs on the machine's own Node.
 */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

/** Enough for an installation over a slow line. */
const readyWithinMs = 180_000
const stoppedWithinMs = 30_000

const folder = mkdtempSync(join(tmpdir(), 'fennec-smoke-'))
const port = await freePort()
const token = `fennec-${randomBytes(16).toString('hex')}`
const address = `http://127.0.0.1:${port}`
const env = {
  ...process.env,
  FENNEC_DATA: join(folder, 'data'),
  FENNEC_LISTEN: `127.0.0.1:${port}`,
  FENNEC_ROOT_TOKEN: token,
}
const startedAt = performance.now()
const server = spawn('npm', ['start'], {
  cwd: fileURLToPath(new URL('..', import.meta.url)),
  env,
  stdio: ['ignore', 'inherit', 'inherit'],
  // A separate process group, so that all its processes can be ended.
  detached: true,
})
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => endAll().then(() => process.exit(1)))
const ended = once(server, 'exit')

try {
  await untilReady()
  say(`ready after ${Math.round(performance.now() - startedAt)} ms`)
  const response = await fetch(`${address}/api/v4/version`, { headers: { 'PRIVATE-TOKEN': token } })
  const body = await response.json()
  if (response.status !== 200 || typeof body.version !== 'string') {
    throw new Error(`GET /api/v4/version answered ${response.status} ${JSON.stringify(body)}`)
  }
  say(`version ${body.version}`)
  server.kill('SIGTERM')
  const [code, signal] = await within(stoppedWithinMs, ended)
  if (code !== 0) throw new Error(`npm start ended with ${signal ?? code} instead of 0`)
  if (await isServing()) throw new Error('the server is still there although npm start has ended')
  say('stopped cleanly')
} catch (error) {
  say(`FAILED: ${error.message}`)
  process.exitCode = 1
} finally {
  await endAll()
}

async function endAll() {
  try {
    process.kill(-server.pid, 'SIGKILL')
  } catch {
    // The group has already ended.
  }
  rmSync(folder, { recursive: true, force: true })
}

async function untilReady() {
  const deadline = performance.now() + readyWithinMs
  while (!(await isServing())) {
    if (server.exitCode !== null || server.signalCode !== null) throw new Error('npm start ended before it was ready')
    if (performance.now() > deadline) throw new Error(`not ready after ${readyWithinMs} ms`)
    await sleep(100)
  }
}

async function isServing() {
  try {
    return (await fetch(`${address}/-/readiness`)).status === 200
  } catch {
    return false
  }
}

async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address()
  await new Promise((resolve) => probe.close(resolve))
  return port
}

async function within(timeoutMs, promise) {
  const late = sleep(timeoutMs, undefined, { ref: false }).then(() => {
    throw new Error(`not stopped after ${timeoutMs} ms`)
  })
  return Promise.race([promise, late])
}

function say(text) {
  process.stdout.write(`smoke: ${text}\n`)
}
