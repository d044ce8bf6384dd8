import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../../testing.ts'
import { type RecycledOutput, recycledOutput } from './recycled-output.ts'

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'recycled-'))
})
afterAll(() => rm(directory, { recursive: true }))

const total = 20_000_000
/** Bytes that name their position, so that no piece can be taken for another. */
const data = Buffer.alloc(total)
for (let at = 0; at < total; at += 4) data.writeUInt32BE(at, at)

/** Serves the data to one connection, in pieces of a size that divides no block. */
async function serving(): Promise<{ socket: Socket; output: RecycledOutput; [Symbol.asyncDispose](): Promise<void> }> {
  const path = join(directory, 'data')
  const server = createServer(async (peer) => {
    peer.on('error', () => {})
    for (let at = 0; at < total && !peer.destroyed; at += 8_197) {
      if (!peer.write(data.subarray(at, at + 8_197))) await once(peer, 'drain').catch(() => {})
    }
    peer.end()
  })
  server.listen(path)
  await once(server, 'listening')
  const output = recycledOutput()
  const socket = connect({ path, onread: output.onread }).pause()
  return {
    socket,
    output,
    async [Symbol.asyncDispose]() {
      socket.destroy()
      server.close()
    },
  }
}

type Taken = { copy: Buffer; chunk: Buffer; release(): void }

test('all data arrives in a few pieces of memory, none of which changes while it is taken', async () => {
  await using served = await serving()
  const { socket, output } = served
  const memories = new Set<ArrayBufferLike>()
  const received: Buffer[] = []
  const held: Taken[] = []
  output.flow(socket, (chunk, release) => {
    memories.add(chunk.buffer)
    held.push({ chunk, copy: Buffer.from(chunk), release })
    // Some are released at once, the others in the order in which they came, later.
    if (received.length % 3 === 0) output.rest(1)
    received.push(Buffer.from(chunk))
    setImmediate(() => {
      const first = held.shift()
      expect(first?.chunk.equals(first.copy)).toBe(true)
      first?.release()
    })
  })
  await once(socket, 'close')
  expect(Buffer.concat(received).equals(data)).toBe(true)
  expect(memories.size).toBeLessThanOrEqual(5)
})

test('nothing more is read while chunks are not released, and the rest can be discarded', async () => {
  await using served = await serving()
  const { socket, output } = served
  const held: Taken[] = []
  output.flow(socket, (chunk, release) => held.push({ chunk, copy: Buffer.from(chunk), release }))
  await until(() => held.length > 0)
  let before = -1
  // Reads until the memory is full.
  await until(() => {
    const isStill = before === socket.bytesRead
    before = socket.bytesRead
    return isStill
  })
  expect(socket.bytesRead).toBeLessThan(400_000)
  output.discard()
  await once(socket, 'close')
  expect(socket.bytesRead).toBe(total)
  for (const { chunk, copy } of held) expect(chunk.equals(copy)).toBe(true)
})
