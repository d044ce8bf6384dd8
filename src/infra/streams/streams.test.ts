import { PassThrough, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { handled, through } from './index.ts'

const stray = vi.fn()
const others = process.listeners('uncaughtException')
beforeEach(() => {
  stray.mockClear()
  process.removeAllListeners('uncaughtException').on('uncaughtException', stray)
})
afterEach(() => {
  process.removeAllListeners('uncaughtException')
  for (const listener of others) process.on('uncaughtException', listener)
})

const settle = async () => {
  for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate)
}

describe('a handled stream', () => {
  test('that fails before it is read does not end the process, and fails its reader', async () => {
    const stream = handled(new PassThrough())
    stream.destroy(new Error('gone'))
    await settle()
    expect(stray).not.toHaveBeenCalled()
    await expect(Array.fromAsync(stream)).rejects.toThrow('gone')
  })
})

describe('a stream through another', () => {
  const failing = (): Readable => {
    const source = new PassThrough()
    source.destroy(new Error('gone'))
    return source
  }

  test('fails when its source fails, also when nothing reads it', async () => {
    const unpacked = through(failing(), createGunzip())
    await settle()
    expect([stray.mock.calls, unpacked.errored?.message]).toEqual([[], 'gone'])
    await expect(Array.fromAsync(unpacked)).rejects.toThrow('gone')
  })

  test('fails by itself', async () => {
    await expect(Array.fromAsync(through(Readable.from(['no gzip']), createGunzip()))).rejects.toThrow('header')
    expect(stray).not.toHaveBeenCalled()
  })

  test('destroys its source when it is destroyed', async () => {
    const source = new PassThrough()
    const passed = through(source, new PassThrough())
    passed.destroy()
    await expect.poll(() => source.closed).toBe(true)
    expect(stray).not.toHaveBeenCalled()
  })
})
