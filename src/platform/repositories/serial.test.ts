import { expect, test } from 'vitest'
import type { Platform } from '../platform.ts'
import { oneAtATime } from './serial.ts'

test('tasks with the same key run one after another, also after a failure', async () => {
  const owner = {} as Platform
  const done: string[] = []
  const gate = Promise.withResolvers<void>()
  const first = oneAtATime(owner, 1, async () => {
    await gate.promise
    done.push('first')
    throw new Error('first')
  })
  const second = oneAtATime(owner, 1, async () => done.push('second'))
  await oneAtATime(owner, 2, async () => done.push('other'))
  gate.resolve()
  await expect(first).rejects.toThrow('first')
  await second
  expect(done).toEqual(['other', 'first', 'second'])
})
