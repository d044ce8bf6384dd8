import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { defaultLimits } from '../model/limits.ts'
import { ZERO_SHA1 } from '../model/names.ts'
import type { PushGate } from '../model/types.ts'
import type { RunningJob } from '../process/spawner/spawner.ts'
import { closed } from '../process/transfer.ts'
import type { Repository } from '../repository.ts'
import { commitFiles, openGate, openTestGit, openTestRunner, type TestGit, until } from '../testing.ts'
import { bombRequest, deltaBomb } from './bombs-testing.ts'
import { pushRequest, rawPush, stateOf, untouched } from './push-testing.ts'
import { receivePack } from './receive-pack.ts'
import { limitUnpacking } from './unpack-limits.ts'

let own: TestGit
beforeAll(async () => {
  own = await openTestGit()
})
afterAll(() => own[Symbol.asyncDispose]())

const hooksPath = fileURLToPath(new URL('../hooks', import.meta.url))
const half = () => pushRequest([`${ZERO_SHA1} ${'a'.repeat(40)} refs/heads/x`]).subarray(0, -10)

/** Begins a push that a client does not finish. Resolves when git has begun to unpack it. */
async function begin(repository: Repository, gate: PushGate = openGate()) {
  const input = new PassThrough()
  const output = new PassThrough().on('error', () => {}).resume()
  const push = repository.receivePack({ stateless: false, gate }, input, output)
  push.catch(() => {})
  input.write(half())
  await until(async () => (await readdir(join(repository.directory, 'objects'))).length > 2)
  return { push, input, output }
}

test('closing git ends a push that is not accepted, and leaves nothing', async () => {
  await using other = await openTestGit()
  const repository = await other.newRepository()
  const { push } = await begin(repository)
  await other.git.close()
  await expect(push).rejects.toMatchObject({ code: 'closed' })
  expect(await readdir(join(repository.directory, 'objects'))).toEqual(untouched.objects)
})

test('closing git waits for a push that is accepted', async () => {
  await using other = await openTestGit()
  const repository = await other.newRepository()
  const oid = await commitFiles(repository, { a: '1' })
  const { promise: recorded, resolve: record } = Promise.withResolvers<string[]>()
  const { promise: told, resolve: tell } = Promise.withResolvers<void>()
  const gate = openGate({
    postReceive() {
      tell()
      return recorded
    },
  })
  const pushing = rawPush(repository, gate, [`${ZERO_SHA1} ${oid} refs/heads/x`])
  await told
  const closing = other.git.close()
  record([])
  expect(await pushing).toContain('ok refs/heads/x')
  await closing
})

type Counted = Awaited<ReturnType<typeof openTestRunner>>
const ends: [string, string, (counted: Counted) => unknown][] = [
  ['that runs git dies', 'interrupted', (counted) => process.kill(counted.spawnerId() as number, 'SIGKILL')],
  ['that runs git is closed', 'closed', (counted) => counted[Symbol.asyncDispose]()],
  ['of git is killed', 'aborted', (counted) => counted.jobs[0]?.kill()],
]

// Its output is not read to the end: then it breaks with an error, which without a listener would end the server.
test.each(ends)('a push fails when the process %s, and the server lives on', async (_how, code, end) => {
  await using counted = await openTestRunner({}, hooksPath)
  const repository = await own.newRepository()
  const oid = await commitFiles(repository, { a: '1' })
  const refs = Array.from({ length: 10_000 }, (_, index) => `${oid} refs/heads/${String(index).padStart(100, '0')}\n`)
  const header = '# pack-refs with: peeled fully-peeled sorted \n'
  await writeFile(join(repository.directory, 'packed-refs'), `${header}${refs.join('')}`)
  const output = new PassThrough().on('error', () => {})
  const receiver = { ...counted.contextOf(repository), hooksPath, log: () => {} }
  const push = receivePack(receiver, { stateless: false, gate: openGate() }, new PassThrough(), output)
  push.catch(() => {})
  await until(() => output.writableNeedDrain)
  await end(counted)
  await expect(push).rejects.toMatchObject({ code })
})

test('an output that breaks while nobody reads it does not end the server', async () => {
  const stdout = new PassThrough()
  const limits = { ...defaultLimits, unpackSeconds: 0 }
  const { job } = limitUnpacking({ stdout } as unknown as RunningJob, new PassThrough(), limits)
  stdout.destroy(new Error('broken'))
  await closed(job.stdout as Readable)
})

// Elsewhere git is killed, and its files are removed later.
test.runIf(process.platform === 'linux')('a push that unpacks at its time limit leaves nothing', async () => {
  await using hasty = await openTestGit({ limits: { transferTimeoutMs: 500, unpackSeconds: 0 } })
  const repository = await hasty.newRepository()
  const bomb = bombRequest(deltaBomb({ factor: 128, steps: 2, more: 4_000 }), 'bomb')
  const gate = openGate()
  const output = new PassThrough().on('error', () => {}).resume()
  const push = repository.receivePack({ stateless: true, gate }, Readable.from([bomb]), output)
  await expect(push).rejects.toMatchObject({ code: 'timeout' })
  expect(gate.accepted).toEqual([])
  expect(await stateOf(repository)).toEqual(untouched)
})

test('a push with too many refs is refused, and leaves nothing', async () => {
  const repository = await own.newRepository()
  const oid = await commitFiles(repository, { a: '1' })
  const before = await stateOf(repository)
  const gate = openGate()
  // Together longer than what a hook may ask.
  const names = Array.from({ length: 1_100 }, (_, index) => `refs/heads/${'x'.repeat(65_000)}${index}`)
  const answer = await rawPush(
    repository,
    gate,
    names.map((name) => `${ZERO_SHA1} ${oid} ${name}`),
  )
  expect(answer).toContain('pre-receive hook declined')
  expect(gate.accepted).toEqual([])
  expect(await stateOf(repository)).toEqual(before)
})
