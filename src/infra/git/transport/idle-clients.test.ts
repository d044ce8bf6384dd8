import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { PassThrough, Readable, Writable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Oid } from '../model/names.ts'
import type { GitLimits } from '../model/types.ts'
import type { Repository } from '../repository.ts'
import { commitFiles, openGate, openTestGit, type TestGit, until } from '../testing.ts'
import { packet, pushRequest, stateOf, untouched } from './push-testing.ts'

/** A limit that no test reaches. */
const never = 3_600_000
const few: Partial<GitLimits> = { concurrentTransfers: 2, transfersPerCaller: 1, queueLengthPerCaller: 1 }

let patient: TestGit
let impatient: TestGit
let tip: Oid
let blob: Oid
/** The same repository, opened without and with a short idle limit. */
let repository: Repository
let hasty: Repository

beforeAll(async () => {
  patient = await openTestGit({ limits: { ...few, clientIdleMs: never, pushInputIdleMs: never } })
  repository = await patient.newRepository()
  tip = await commitFiles(repository, { large: randomBytes(8_000_000) })
  const entry = await repository.entryAt(tip, 'large' as never)
  blob = entry?.oid as Oid
  const limits = { ...few, clientIdleMs: 400, pushInputIdleMs: never }
  impatient = await openTestGit({ limits, storages: { default: patient.root } })
  hasty = impatient.git.repository(repository.location)
})
afterAll(async () => {
  await impatient[Symbol.asyncDispose]()
  await patient[Symbol.asyncDispose]()
})

const line = (text: string) => `${(text.length + 4).toString(16).padStart(4, '0')}${text}`
const request = () => Buffer.from(`${line('command=fetch')}0001${line(`want ${tip}\n`)}${line('done\n')}0000`)
const options = { stateless: true, protocol: 'version=2' }

/** A client that reads the first chunk only. */
const unreading = () => new Writable({ highWaterMark: 16_384, write() {} }).on('error', () => {})

/** A client that reads everything, one chunk at a time. */
function taking(delayMs = 0) {
  const client = { bytes: 0, output: new Writable() }
  client.output = new Writable({
    highWaterMark: 16_384,
    write(chunk: Buffer, _encoding, done) {
      client.bytes += chunk.length
      if (delayMs === 0) done()
      else setTimeout(done, delayMs)
    },
  })
  return client
}

async function clone(from: Repository, caller: string): Promise<number> {
  const client = taking()
  await from.uploadPack({ ...options, caller }, Readable.from([request()]), client.output)
  return client.bytes
}

/** The transfers in which a client can be idle, by name. Each resolves when it holds its slot. */
const stalls: [string, (from: Repository, caller: string) => Promise<{ ended: Promise<unknown>; end(): void }>][] = [
  [
    'a clone that is not taken',
    async (from, caller) => {
      const output = unreading()
      const upload = from.uploadPack({ ...options, caller }, Readable.from([request()]), output)
      const ended = upload.catch((error) => error.code)
      await until(() => output.writableNeedDrain)
      return { ended, end: () => output.destroy() }
    },
  ],
  [
    'a conversation in which nothing is said',
    async (from, caller) => {
      const output = new PassThrough().on('error', () => {})
      const input = new PassThrough()
      const upload = from.uploadPack({ stateless: false, protocol: 'version=2', caller }, input, output)
      const ended = upload.catch((error) => error.code)
      await once(output, 'data')
      return { ended, end: () => output.destroy() }
    },
  ],
  ...(['tar', 'tar.gz', 'tar.bz2', 'zip'] as const).map((format) => {
    const open = (from: Repository, caller: string) => from.archive(tip, { format, prefix: 'x', caller })
    return [`a ${format} that is not read`, (from: Repository, caller: string) => stalled(open(from, caller))] as const
  }),
  ['a blob that is not read', async (from, caller) => stalled(blobOf(from, caller))],
  ['a snapshot that is not read', (from, caller) => stalled(from.tarball({ caller }))],
] as [string, (from: Repository, caller: string) => Promise<{ ended: Promise<unknown>; end(): void }>][]

async function blobOf(from: Repository, caller: string): Promise<Readable> {
  const found = await from.streamBlob(blob, { caller })
  if (!found) throw new Error('no blob')
  return found.stream
}

/** Pipes a stream to a client that reads nothing. */
async function stalled(opening: Promise<Readable>) {
  const stream = await opening
  const ended = new Promise((resolve) => {
    stream.once('error', (error: Error & { code?: string }) => resolve(error.code))
    stream.once('close', () => resolve('closed'))
  })
  const output = unreading()
  stream.pipe(output)
  await until(() => output.writableNeedDrain)
  return { ended, end: () => stream.destroy() }
}

describe.each(stalls)('%s', (_what, stall) => {
  test('occupies only a slot of its own caller', async () => {
    const held = await stall(repository, 'hostile')
    // Either of the two may come first: each writes a file before it asks for a slot.
    const two = [clone(repository, 'hostile'), clone(repository, 'hostile')]
    await expect(Promise.race(two)).rejects.toMatchObject({ code: 'busy' })
    expect(await clone(repository, 'other')).toBeGreaterThan(8_000_000)
    held.end()
    expect(await Promise.any(two)).toBeGreaterThan(8_000_000)
  })

  test('is ended, and its slot released', async () => {
    const held = await stall(hasty, 'idle')
    const next = clone(hasty, 'idle')
    expect(await held.ended).toBe('timeout')
    expect(await next).toBeGreaterThan(8_000_000)
  })
})

describe('a request', () => {
  test('that is incomplete takes no slot, and is ended without output', async () => {
    const outputs = Array.from({ length: 10 }, () => new PassThrough())
    const inputs = outputs.map(() => new PassThrough())
    const hostile = { ...options, caller: 'hostile' }
    const lost = outputs.map((output, index) =>
      hasty.uploadPack(hostile, inputs[index] as PassThrough, output).catch((error) => error.code),
    )
    for (const input of inputs) input.write('0014')
    expect(await clone(hasty, 'hostile')).toBeGreaterThan(8_000_000)
    expect(await Promise.all(lost)).toEqual(outputs.map(() => 'timeout'))
    for (const output of outputs) expect([output.destroyed, output.readableLength]).toEqual([false, 0])
  })

  test('that is aborted early fails', async () => {
    const input = new PassThrough()
    const upload = repository.uploadPack({ ...options, caller: 'a' }, input, new PassThrough())
    input.write('0014')
    input.destroy(new Error('reset'))
    await expect(upload).rejects.toMatchObject({ code: 'aborted' })
  })

  test('that is long is passed on completely for any division into chunks', async () => {
    const haves = Array.from({ length: 3_000 }, () => line(`have ${randomBytes(20).toString('hex')}\n`)).join('')
    const bytes = Buffer.from(`${line('command=fetch')}0001${line(`want ${tip}\n`)}${haves}${line('done\n')}0000`)
    const pieces = Array.from({ length: Math.ceil(bytes.length / 1_000) }, (_, index) =>
      bytes.subarray(index * 1_000, (index + 1) * 1_000),
    )
    const client = taking()
    const result = await hasty.uploadPack(options, Readable.from(pieces), client.output)
    expect(result).toEqual({ exitCode: 0 })
    expect(client.bytes).toBeGreaterThan(8_000_000)
  })
})

test('an advertisement does not wait behind transfers', async () => {
  const held = await Promise.all(['a', 'b'].map((caller) => stalls[0]?.[1](repository, caller)))
  const output = new PassThrough()
  const text = output.toArray().then((chunks) => Buffer.concat(chunks).toString())
  await repository.advertise({ service: 'upload-pack', caller: 'a' }, output)
  expect(await text).toContain(tip)
  for (const each of held) each?.end()
  await Promise.all(held.map((each) => each?.ended))
})

test('an advertisement that is not read is ended', async () => {
  const output = unreading()
  await expect(hasty.advertise({ service: 'upload-pack', caller: 'a' }, output)).resolves.toBeUndefined()
  expect(output.destroyed).toBe(true)
})

describe('a slow but steady client', () => {
  test('completes a clone that takes many times the idle limit', async () => {
    const client = taking(25)
    const started = performance.now()
    const result = await hasty.uploadPack(options, Readable.from([request()]), client.output)
    expect(result.exitCode).toBe(0)
    expect(client.bytes).toBeGreaterThan(8_000_000)
    expect(performance.now() - started).toBeGreaterThan(3 * 400)
  })

  test('completes an archive', async () => {
    const { output } = taking(15)
    const stream = await hasty.archive(tip, { format: 'tar', prefix: 'x' })
    const started = performance.now()
    stream.pipe(output)
    await once(output, 'finish')
    expect(performance.now() - started).toBeGreaterThan(3 * 400)
  })
})

describe('a push', () => {
  test('may pause for longer than a reader', async () => {
    await using own = await openTestGit({ limits: { clientIdleMs: 100, pushInputIdleMs: never } })
    const target = await own.newRepository()
    const oid = await commitFiles(target, { a: '1' })
    const input = new PassThrough()
    const output = new PassThrough().resume()
    const gate = openGate()
    const bytes = pushRequest([`${'0'.repeat(40)} ${oid} refs/heads/x`])
    const push = target.receivePack({ stateless: false, gate, caller: 'a' }, input, output)
    input.write(bytes.subarray(0, 10))
    // A later fetch that is idle for the same time is ended meanwhile.
    const quiet = target.uploadPack(
      { stateless: false },
      new PassThrough(),
      new PassThrough().on('error', () => {}).resume(),
    )
    await expect(quiet).rejects.toMatchObject({ code: 'timeout' })
    input.end(bytes.subarray(10))
    await push
    expect(gate.accepted).toMatchObject([{ ref: 'refs/heads/x', new: oid }])
  })

  test.each([true, false])('that stops is ended, and leaves nothing (one request: %s)', async (stateless) => {
    await using own = await openTestGit({ limits: { ...few, clientIdleMs: never, pushInputIdleMs: 400 } })
    const target = await own.newRepository()
    const command = packet(`${'0'.repeat(40)} ${'a'.repeat(40)} refs/heads/main\0report-status side-band-64k`)
    const head = Buffer.concat([command, Buffer.from('0000PACK\0\0\0\u0002\0\0\0\u0005', 'latin1')])
    const input = new PassThrough()
    const output = new PassThrough().on('error', () => {}).resume()
    const gate = openGate()
    const push = target.receivePack({ stateless, gate, caller: 'a' }, input, output)
    input.write(head)
    await expect(push).rejects.toMatchObject({ code: 'timeout' })
    expect(gate.accepted).toEqual([])
    expect(await stateOf(target)).toEqual(untouched)
  })
})
