import { describe, expect, test } from 'vitest'
import { gate, patiently } from '../fixtures.ts'
import { coalesce } from './coalesce.ts'

describe('coalesced work', () => {
  test('runs one at a time; calls during a run share one further run', async () => {
    const gates = [gate(), gate(), gate()]
    let begun = 0
    const call = coalesce(() => gates[begun++]!.opened)
    const first = call()
    const [second, third] = [call(), call()]
    expect(second).toBe(third)
    expect(begun).toBe(1)
    gates[0]!.open()
    await first
    await expect.poll(() => begun, patiently).toBe(2)
    const fourth = call()
    expect(begun).toBe(2)
    gates[1]!.open()
    await second
    gates[2]!.open()
    await fourth
    expect(begun).toBe(3)
  })

  test('a failure rejects only the calls of that run', async () => {
    let calls = 0
    const call = coalesce(async () => {
      if (calls++ === 0) throw new Error('no')
    })
    const [first, second] = [call(), call()]
    await expect(first).rejects.toThrow('no')
    await second
    await call()
    expect(calls).toBe(3)
  })
})
