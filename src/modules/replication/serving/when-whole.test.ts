import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { whenWhole } from './when-whole.ts'

test('no byte of a body is sent before the work with it is done', async () => {
  const { promise: isDone, resolve: finish } = Promise.withResolvers<void>()
  const { promise: given, resolve: give } = Promise.withResolvers<string>()
  const body = whenWhole((whole) => {
    give(whole.toString())
    return isDone
  })
  const sent: string[] = []
  body.on('data', (chunk) => sent.push(chunk.toString()))
  for (const part of ['one ', 'two']) body.write(part)
  body.end()
  expect(await given).toBe('one two')
  await turn()
  expect(sent).toEqual([])
  finish()
  await new Promise((resolve) => body.once('end', resolve))
  expect(sent.join('')).toBe('one two')
})

test('a body that is too long is passed on whole, without the work', async () => {
  const parts = Array.from({ length: 5 }, (_, index) => Buffer.alloc(100 * 1024, index))
  let calls = 0
  const passed = Readable.from(parts).pipe(
    whenWhole(async () => {
      calls += 1
    }),
  )
  expect((await buffer(passed)).equals(Buffer.concat(parts))).toBe(true)
  expect(calls).toBe(0)
})

test('a body ends with an error when the work fails', async () => {
  const passed = Readable.from([Buffer.from('x')]).pipe(whenWhole(() => Promise.reject(new Error('full'))))
  await expect(buffer(passed)).rejects.toThrow('full')
})

test('an empty body is whole, too', async () => {
  const given: number[] = []
  const passed = Readable.from([]).pipe(
    whenWhole(async ({ length }) => {
      given.push(length)
    }),
  )
  expect((await buffer(passed)).length).toBe(0)
  expect(given).toEqual([0])
})
