import { describe, expect, test } from 'vitest'
import { callerOf, type SemaphoreOptions, semaphore } from './semaphore.ts'

/** Waits until settled promises have been handled. */
const turn = () => new Promise((resolve) => setImmediate(resolve))

/** Requests slots, and records the callers that get one, in order. */
function asked(options: SemaphoreOptions) {
  const slots = semaphore(options)
  const order: string[] = []
  const releases: (() => void)[] = []
  const ask = (caller?: string, signal?: AbortSignal) =>
    slots.acquire({ caller, signal }).then(
      (release) => {
        order.push(caller ?? 'none')
        releases.push(release)
      },
      (error) => order.push(`${caller ?? 'none'}: ${error.code}`),
    )
  return { order, releases, ask }
}

const shared = { slots: 4, queueLength: 100, perCaller: { slots: 2, queueLength: 3 } }

describe('slots that are shared between callers', () => {
  test('are bounded for one caller', async () => {
    const { order, ask } = asked(shared)
    for (let count = 0; count < 5; count += 1) void ask('greedy')
    void ask('other')
    void ask('third')
    await turn()
    expect(order).toEqual(['greedy', 'greedy', 'other', 'third'])
  })

  test('a caller with a full queue is refused, others are not', async () => {
    const { order, ask } = asked(shared)
    for (let count = 0; count < 7; count += 1) void ask('greedy')
    void ask('other')
    await turn()
    expect(order.toSorted()).toEqual(['greedy', 'greedy', 'greedy: busy', 'greedy: busy', 'other'])
  })

  test('are granted round-robin', async () => {
    const { order, releases, ask } = asked({ ...shared, slots: 1 })
    for (const caller of ['a', 'a', 'a', 'b', 'c']) void ask(caller)
    for (let count = 0; count < 5; count += 1) {
      await turn()
      releases[count]?.()
    }
    expect(order).toEqual(['a', 'a', 'b', 'c', 'a'])
  })

  test('are released for their caller, each once', async () => {
    const { order, releases, ask } = asked(shared)
    for (let count = 0; count < 5; count += 1) void ask('a')
    await turn()
    expect(order).toHaveLength(2)
    releases[0]?.()
    releases[0]?.()
    await turn()
    expect(order).toHaveLength(3)
  })

  test('are not reserved for a request that has left the queue', async () => {
    const { order, releases, ask } = asked({ ...shared, slots: 1 })
    const controller = new AbortController()
    void ask('a')
    void ask('b', controller.signal)
    void ask('c')
    await turn()
    controller.abort()
    releases[0]?.()
    await turn()
    expect(order).toEqual(['a', 'b: aborted', 'c'])
  })

  test('have one queue limit for all; requests without caller have no other', async () => {
    const { order, ask } = asked({ ...shared, queueLength: 2 })
    for (let count = 0; count < 4; count += 1) void ask()
    for (const caller of ['a', 'b', 'c']) void ask(caller)
    await turn()
    expect(order).toEqual(['none', 'none', 'none', 'none', 'c: busy'])
  })
})

describe('the key of a caller', () => {
  test.each([
    ['one IPv6 network', '2001:db8:1:2::1', '2001:db8:1:2:ffff::9', true],
    ['another IPv6 network', '2001:db8:1:2::1', '2001:db8:1:3::1', false],
    ['an IPv4 address written as IPv6', '192.0.2.1', '::ffff:192.0.2.1', true],
    ['two IPv4 addresses that are written as IPv6', '::ffff:192.0.2.1', '::ffff:192.0.2.2', false],
    ['an address with a zone', 'fe80::1%eth0', 'fe80::2%eth1', true],
    ['what is no address', 'x', 'y', false],
  ])('%s', (_what, one, other, isShared) => {
    expect(callerOf(undefined, one) === callerOf(undefined, other)).toBe(isShared)
  })

  test('depends only on the name of an authenticated caller', () => {
    expect(callerOf('user-1', '192.0.2.1')).toBe(callerOf('user-1', '192.0.2.2'))
    expect(callerOf('192.0.2.1', '192.0.2.2')).not.toBe(callerOf(undefined, '192.0.2.1'))
  })
})
